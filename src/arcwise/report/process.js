// The process graph of a time series: a picture beside that of the slices, to look at only.
"use strict";

function drawProcessGraph(contents) {
  const svg = document.getElementById("process-graph");
  if (svg === null || contents.process === null) return;
  const picture = new Picture(contents.process.network, svg);
  picture.setView(0);
  for (const { group } of picture.nodes) {
    for (const name of ["tabindex", "role"]) group.removeAttribute(name);
  }
  let before = null;
  new ResizeObserver(() => {
    const { width } = svg.getBoundingClientRect();
    if (width === 0 || width === before) return;
    before = width;
    picture.fitting(width);
    svg.style.height = `${picture.size.height}px`;
    picture.draw();
  }).observe(svg);
}
