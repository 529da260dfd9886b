// The charts, drawn by plotly in the page's fonts and colours.
"use strict";

const CHART_SETTINGS = { displaylogo: false, displayModeBar: false };

function chartLayout(own, element) {
  const axis = { gridcolor: "#e6e9ed", zerolinecolor: "#e6e9ed", linecolor: "#aab2bb", automargin: true, fixedrange: false };
  const legend = { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" };
  const merged = (given) => ({ ...axis, ...given, title: { font: { size: 13 }, standoff: 10, ...(given?.title ?? {}) } });
  return {
    font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: "#1b1f24" },
    paper_bgcolor: "#ffffff",
    plot_bgcolor: "#ffffff",
    margin: { l: 56, r: 12, t: 12, b: 48 },
    hoverlabel: { bgcolor: "#1b1f24", font: { color: "#ffffff" } },
    legend,
    height: element.clientHeight,
    ...own,
    xaxis: merged(own.xaxis),
    yaxis: merged(own.yaxis),
  };
}

// Names for the ticks of the matrix: truncated, and escaped for plotly's subset of HTML.
function tickName(name) {
  const letters = Array.from(name);
  const short = letters.length <= 14 ? name : letters.slice(0, 13).join("") + "…";
  return short.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// As many names along an axis as fit; the others are shown on hovering over a cell.
function matrixAxis(ticks, room) {
  const every = Math.max(1, Math.ceil((ticks.length * 14) / Math.max(14, room)));
  const places = ticks.map((_, i) => i).filter((i) => i % every === 0);
  return {
    tickmode: "array", tickvals: places, ticktext: places.map((i) => ticks[i]), tickfont: { size: 11 },
    showgrid: false, zeroline: false, ticks: "", showline: true, mirror: true, linecolor: "#c9cfd6",
  };
}

function drawMatrix(element, chart, variables) {
  const names = chart.names;
  const [data] = chart.data;
  const narrow = element.clientWidth < 560;
  const ticks = variables.map(tickName);
  const beside = 46 + Math.max(...variables.map((name) => textWidth(Array.from(name).slice(0, 14).join(""), 11)));
  const room = Math.min(860, element.clientWidth - beside - (narrow ? 8 : 84));
  const below = narrow ? 64 : 12;
  const height = Math.round(room + beside + below);
  element.style.height = `${height}px`;
  const heat = {
    ...data,
    customdata: names.map((source) => names.map((target) => `${source} → ${target}`)),
    hovertemplate: "%{customdata}: %{z:.3f}<extra></extra>",
    colorbar: narrow
      ? { ...data.colorbar, orientation: "h", y: -0.04, yanchor: "top", title: { text: "probability", side: "bottom" } }
      : data.colorbar,
  };
  const layout = chartLayout(chart.layout, element);
  Object.assign(layout.xaxis, matrixAxis(ticks, room), { tickangle: -90, constrain: "domain", automargin: false });
  Object.assign(layout.yaxis, matrixAxis(ticks, room), { scaleanchor: "x", constrain: "domain", automargin: false });
  layout.height = height;
  layout.margin = { l: beside, r: narrow ? 8 : 84, t: beside, b: below };
  return Plotly.newPlot(element, [heat], layout, CHART_SETTINGS);
}

function drawChart(element, chart) {
  return Plotly.newPlot(element, chart.data, chartLayout(chart.layout, element), CHART_SETTINGS);
}

const redrawings = [];

// Draws a chart, and redraws it whenever its width changes, since names, height and legend depend
// on it. One drawing finishes before the next begins: plotly confuses two at once.
function keepDrawn(name, draw) {
  const element = document.getElementById(`chart-${name}`);
  let drawn = null;
  let waiting = Promise.resolve();
  const redraw = () => {
    const width = element.clientWidth;
    if (width === 0 || width === drawn) return undefined;
    drawn = width;
    Plotly.purge(element);
    return draw(element);
  };
  redrawings.push(redraw);
  new ResizeObserver(() => { waiting = waiting.then(redraw); }).observe(element);
}

function drawCharts(contents) {
  const { matrix, traces, agreement } = contents.charts;
  keepDrawn("matrix", (element) => drawMatrix(element, matrix, contents.network.variables));
  if (traces) keepDrawn("traces", (element) => drawChart(element, traces));
  if (agreement) keepDrawn("agreement", (element) => drawChart(element, agreement));
}

// Paper is narrower than most windows: the page takes its width first, then the charts.
window.addEventListener("beforeprint", () => {
  document.body.classList.add("printing");
  for (const redraw of redrawings) redraw();
});
window.addEventListener("afterprint", () => document.body.classList.remove("printing"));
