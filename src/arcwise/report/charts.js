// The charts, drawn by plotly in the page's own type and colours.
"use strict";

const CHART_SETTINGS = { responsive: true, displaylogo: false, displayModeBar: false };

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

// As many names along the matrix as there is room for; others are seen on pointing at a cell.
function matrixTicks(names, plain, room) {
  const every = Math.max(1, Math.ceil(names.length / Math.max(1, Math.floor(room / 15))));
  const places = names.map((_, i) => i).filter((i) => i % every === 0);
  const cut = (i) => {
    const letters = Array.from(plain[i]);
    if (letters.length <= 14) return names[i];
    const start = letters.slice(0, 13).join("");
    return start.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") + "…";
  };
  return { tickmode: "array", tickvals: places, ticktext: places.map(cut), showgrid: false, zeroline: false, ticks: "", showline: false };
}

function drawMatrix(element, chart, plain) {
  const names = chart.names;
  const side = element.clientWidth;
  const height = Math.round(Math.min(Math.max(320, side * 0.82), 900));
  element.style.height = `${height}px`;
  const narrow = side < 560;
  const [data] = chart.data;
  const heat = {
    ...data,
    customdata: names.map((source) => names.map((target) => `${source} → ${target}`)),
    hovertemplate: "%{customdata}: %{z:.3f}<extra></extra>",
    colorbar: narrow
      ? { ...data.colorbar, orientation: "h", y: -0.04, yanchor: "top", title: { text: "probability", side: "bottom" } }
      : data.colorbar,
  };
  const layout = chartLayout(chart.layout, element);
  Object.assign(layout.xaxis, matrixTicks(names, plain, side - 150), { tickangle: -90, constrain: "domain" });
  Object.assign(layout.yaxis, matrixTicks(names, plain, height - 160), { scaleanchor: "x", constrain: "domain" });
  layout.height = height;
  layout.margin = { l: 40, r: 8, t: 40, b: narrow ? 60 : 12 };
  return Plotly.react(element, [heat], layout, CHART_SETTINGS);
}

function drawChart(name, chart) {
  const element = document.getElementById(`chart-${name}`);
  const layout = chartLayout(chart.layout, element);
  return Plotly.newPlot(element, chart.data, layout, CHART_SETTINGS);
}

function drawCharts(contents) {
  const { matrix, traces, agreement } = contents.charts;
  const element = document.getElementById("chart-matrix");
  const plain = contents.network.variables;
  let drawn = element.clientWidth;
  drawMatrix(element, matrix, plain);
  // Its names and height depend on the width, which plotly's own resizing knows nothing of.
  new ResizeObserver(() => {
    if (Math.abs(element.clientWidth - drawn) < 8) return;
    drawn = element.clientWidth;
    drawMatrix(element, matrix, plain);
  }).observe(element);
  if (traces) drawChart("traces", traces);
  if (agreement) drawChart("agreement", agreement);
}
