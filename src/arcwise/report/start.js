// Starts the page and connects its parts.
"use strict";

function readContents() {
  return JSON.parse(document.getElementById("contents").textContent);
}

function startPage() {
  const contents = readContents();
  const element = (id) => document.getElementById(id);
  element("graph").style.setProperty("--nodes", contents.network.variables.length);
  const choose = (node) => view.choose(node);
  const view = new NetworkView(contents, (node) => {
    showPanel(contents, node, choose);
    element("clear").disabled = node === null;
  });
  showPanel(contents, null, choose);

  const slider = element("threshold");
  const showThreshold = () => {
    const shown = view.setThreshold(Number(slider.value));
    element("threshold-value").textContent = Number(slider.value).toFixed(2);
    element("edge-count").textContent = `${shown.toLocaleString("en")} of ${view.edges.length.toLocaleString("en")} edges shown.`;
  };
  slider.addEventListener("input", showThreshold);
  showThreshold();

  const search = element("search");
  const find = () => {
    const matching = view.find(search.value);
    element("search-count").textContent = !search.value.trim()
      ? ""
      : matching.length === 1 ? "1 variable matches; press Enter to select it." : `${matching.length || "No"} variables match.`;
    return matching;
  };
  search.addEventListener("input", find);
  search.addEventListener("keydown", (event) => {
    const [first] = event.key === "Enter" ? find() : [];
    if (first === undefined) return;
    view.choose(first);
    view.moveTo(first);
  });

  const zoom = (factor) => {
    view.zoomBy(factor);
    if (view.chosen !== null) view.moveTo(view.chosen);
  };
  element("zoom-in").addEventListener("click", () => zoom(1.5));
  element("zoom-out").addEventListener("click", () => zoom(1 / 1.5));
  element("zoom-reset").addEventListener("click", () => view.reset());
  element("clear").addEventListener("click", () => choose(null));
  drawLegend();
  new EdgeTable(contents);
}

function drawLegend() {
  const legend = document.getElementById("legend");
  for (const probability of [0.1, 0.5, 1]) {
    const svg = svgElement("svg", { width: 44, height: 14, "aria-hidden": "true" });
    const group = svgElement("g", { class: "edge" }, svg);
    group.style.opacity = 0.12 + 0.88 * probability;
    svgElement("path", { class: "line", d: "M2 7L42 7", "stroke-width": 0.85 * (0.7 + 2.8 * probability) }, group);
    legend.append(htmlElement("span", {}, svg, probability.toFixed(1)));
  }
  for (const [kind, words] of [["incoming", "into the selected node"], ["outgoing", "out of it"]]) {
    const svg = svgElement("svg", { width: 44, height: 14, "aria-hidden": "true" });
    const group = svgElement("g", { class: `edge ${kind}` }, svg);
    svgElement("path", { class: "line", d: "M2 7L34 7", "stroke-width": 2.4 }, group);
    svgElement("path", { class: "head", d: "M42 7L32 2.5L32 11.5Z" }, group);
    legend.append(htmlElement("span", {}, svg, words));
  }
}

startPage();
