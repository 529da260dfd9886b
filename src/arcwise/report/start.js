// Starts the page and connects its parts.
"use strict";

function startPage() {
  const contents = JSON.parse(document.getElementById("contents").textContent);
  const { network } = contents;
  const element = (id) => document.getElementById(id);
  const redrawMatrix = keepDrawn("matrix", (chart) => {
    const named = drawMatrix(chart, contents, network.views[shownView]);
    element("matrix-note").hidden = named;
  });
  let shownView = network.start.view;
  const choose = (node) => {
    view.choose(node);
    showCount();
  };
  const picker = element("view");
  network.views.forEach(({ title }, number) => picker.append(htmlElement("option", { value: number }, title)));
  element("view-control").hidden = network.views.length === 1;
  const view = new NetworkView(network, {
    onChoose: (node) => {
      showPanel(contents, node, choose);
      element("clear").disabled = node === null;
    },
    onView: (number) => {
      shownView = number;
      picker.value = number;
      redrawMatrix();
    },
  });
  picker.addEventListener("change", () => {
    view.showView(Number(picker.value));
    showCount();
  });
  showPanel(contents, null, choose);

  const slider = element("threshold");
  const showCount = () => {
    const shown = view.shownLinks().length;
    const outside = view.linksElsewhere().reduce((sum, number) => sum + number, 0);
    element("threshold-value").textContent = Number(slider.value).toFixed(2);
    element("edge-count").textContent = `${count(shown)} of ${count(view.inside.length)} edges ${network.views.length > 1 ? "here " : ""}shown.`
      + (outside ? ` ${count(outside)} more lead to variables outside this view (+ at a corner).` : "");
  };
  slider.addEventListener("input", () => {
    view.setThreshold(Number(slider.value));
    showCount();
  });
  showCount();

  const search = element("search");
  const find = () => {
    const matching = view.find(search.value);
    const elsewhere = matching.filter((node) => !view.where.has(node)).length;
    element("search-count").textContent = !search.value.trim()
      ? ""
      : (matching.length === 1 ? "1 variable matches; press Enter to select it." : `${matching.length || "No"} variables match.`)
        + (elsewhere ? ` ${elsewhere === matching.length ? "All" : elsewhere} of them in other views; Enter leads there.` : "");
    return matching;
  };
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    const matching = event.key === "Enter" ? find() : [];
    const first = matching.find((node) => view.where.has(node)) ?? matching[0];
    if (first === undefined) return;
    view.choose(first);
    view.moveTo(first);
    showCount();
  });

  const zoom = (factor) => {
    view.zoomBy(factor);
    if (view.chosen !== null && view.where.has(view.chosen)) view.moveTo(view.chosen);
  };
  element("zoom-in").addEventListener("click", () => zoom(1.5));
  element("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
  element("zoom-reset").addEventListener("click", () => view.reset());
  element("clear").addEventListener("click", () => choose(null));
  element("save-svg").addEventListener("click", () => saveSvg(contents, view));
  element("save-png").addEventListener("click", () => savePng(contents, view));
  element("save-pdf").addEventListener("click", () => printPicture(contents, view));
  drawLegend();
  new EdgeTable(contents);
  drawCharts(contents);
  drawProcessGraph(contents);
  darkPage.addEventListener("change", redrawMatrix);
}

function drawLegend() {
  const legend = document.getElementById("legend");
  const sample = (kind, words, width, opacity, head) => {
    const svg = svgElement("svg", { width: 44, height: 14, "aria-hidden": "true" });
    const group = svgElement("g", { class: `edge ${kind}`, opacity }, svg);
    svgElement("path", { class: "line", d: `M2 7L${head ? 34 : 42} 7`, "stroke-width": width }, group);
    if (head) svgElement("path", { class: "head", d: "M42 7L32 2.5L32 11.5Z" }, group);
    legend.append(htmlElement("span", {}, svg, words));
  };
  for (const probability of [0.1, 0.5, 1]) sample("", probability.toFixed(1), linkWidth(probability, false), linkOpacity(probability), false);
  sample("", "directed", 2.4, 1, true);
  sample("", "direction open, with the probability of each", 2.4, 1, false);
  sample("incoming", "into the selected node", 2.4, 1, true);
  sample("outgoing", "out of it", 2.4, 1, true);
}

startPage();
