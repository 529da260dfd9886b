// The charts: lines, steps, points and bars between two axes, and the forest of uncertain pairs.
"use strict";

const CHART_HEIGHT = 320;
const SHAPES = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}Z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}Z`,
  (x, y, r) => `M${x} ${y - 1.2 * r}L${x + 1.2 * r} ${y + r}L${x - 1.2 * r} ${y + r}Z`,
  (x, y, r) => `M${x} ${y + 1.2 * r}L${x + 1.2 * r} ${y - r}L${x - 1.2 * r} ${y - r}Z`,
];

// Round numbers from low to high, about as many as wanted.
function roundTicks(low, high, wanted, whole) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / wanted));
  let step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= wanted);
  if (whole) step = Math.max(1, Math.round(step));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

function tickText(value) {
  return value.toLocaleString("en", { maximumFractionDigits: 6 }).replace("-", "−");
}

// The range of an axis: as given, else that of the data with a little room.
function rangeOf(axis, values, spread) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) [low, high] = [0, 1];
  [low, high] = [axis.low ?? low - spread, axis.high ?? high + spread];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const room = 0.04 * (high - low);
  return [axis.low === undefined ? low - room : low, axis.high === undefined ? high + room : high];
}

function drawChart(element, chart) {
  const width = element.clientWidth;
  const bars = chart.marks.find((mark) => mark.kind === "bars");
  const [left, right] = rangeOf(chart.x, chart.marks.flatMap((mark) => mark.x), bars ? bars.width / 2 : 0);
  const [low, high] = rangeOf(chart.y, chart.marks.flatMap((mark) => mark.y).concat(chart.line ?? []), 0);
  const yTicks = roundTicks(low, high, 6, false);
  const named = chart.marks.filter((mark) => mark.name);
  const keys = placedKeys(named, width);
  const margin = { left: 34 + Math.max(...yTicks.map((tick) => textWidth(tickText(tick), 12, 400))), right: 14, top: 12 + keys.height, bottom: 48 };
  const height = CHART_HEIGHT + keys.height;
  const x = (value) => margin.left + ((value - left) / (right - left)) * (width - margin.left - margin.right);
  const y = (value) => height - margin.bottom - ((value - low) / (high - low)) * (height - margin.top - margin.bottom);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  const xTicks = roundTicks(left, right, Math.max(2, Math.min(8, Math.floor(width / 90))), chart.x.whole);
  for (const tick of yTicks) {
    svgElement("path", { class: "grid", d: `M${margin.left} ${y(tick)}H${width - margin.right}` }, svg);
    svgText(tickText(tick), { class: "tick", x: margin.left - 7, y: y(tick) + 4, "text-anchor": "end" }, svg);
  }
  for (const tick of xTicks) {
    svgText(tickText(tick), { class: "tick", x: x(tick), y: height - margin.bottom + 17, "text-anchor": "middle" }, svg);
  }
  svgElement("path", { class: "axis", d: `M${margin.left} ${height - margin.bottom}H${width - margin.right}` }, svg);
  svgText(chart.x.label, { class: "axis-label", x: (margin.left + width - margin.right) / 2, y: height - 10, "text-anchor": "middle" }, svg);
  const middle = (margin.top + height - margin.bottom) / 2;
  svgText(chart.y.label, { class: "axis-label", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` }, svg);
  if (chart.diagonal) svgElement("path", { class: "reference", d: `M${x(left)} ${y(left)}L${x(right)} ${y(right)}` }, svg);
  if (chart.line !== undefined) svgElement("path", { class: "reference", d: `M${x(left)} ${y(chart.line)}H${x(right)}` }, svg);
  for (const mark of chart.marks) svg.append(drawnMark(mark, x, y, y(Math.max(low, 0))));
  keys.draw(svg, margin.left);
  element.replaceChildren(svg);
}

function drawnMark(mark, x, y, ground) {
  const at = (value) => value.toFixed(1);
  const group = svgElement("g", { class: `mark ${mark.kind} series-${mark.colour % 7}${mark.colour >= 7 ? " again" : ""}` });
  if (mark.kind === "line") {
    svgElement("path", { d: "M" + mark.x.map((value, i) => `${at(x(value))} ${at(y(mark.y[i]))}`).join("L") }, group);
  } else if (mark.kind === "steps") {
    svgElement("path", { d: mark.y.map((value, i) => `${i ? "L" : "M"}${at(x(mark.x[i]))} ${at(y(value))}H${at(x(mark.x[i + 1]))}`).join("") }, group);
  } else if (mark.kind === "bars") {
    const width = Math.max(1, Math.min(70, Math.abs(x(mark.width) - x(0)) * 0.86));
    mark.x.forEach((value, i) => {
      const bar = svgElement("rect", { x: at(x(value) - width / 2), y: at(y(mark.y[i])), width: at(width), height: at(Math.max(0, ground - y(mark.y[i]))) }, group);
      svgElement("title", {}, bar).textContent = `${tickText(value)}: ${tickText(mark.y[i])}`;
    });
  } else {
    const shape = SHAPES[mark.colour % SHAPES.length];
    mark.x.forEach((value, i) => {
      const point = svgElement("path", { d: shape(Number(at(x(value))), Number(at(y(mark.y[i]))), 3.4) }, group);
      svgElement("title", {}, point).textContent = `${mark.text[i]}: ${mark.y[i].toFixed(3)} in ${mark.name}, mean ${value.toFixed(3)}`;
    });
  }
  return group;
}

// The names of series in lines above the chart.
function placedKeys(marks, width) {
  if (marks.length < 2) return { height: 0, draw: () => {} };
  let [across, row] = [0, 0];
  const places = marks.map((mark) => {
    const room = 34 + textWidth(mark.name, 12, 400);
    if (across > 0 && across + room > width - 70) [across, row] = [0, row + 1];
    const place = { x: across, y: 20 * row + 12 };
    across += room;
    return place;
  });
  const draw = (svg, left) => marks.forEach((mark, i) => {
    const { x, y } = places[i];
    const group = svgElement("g", { class: `mark ${mark.kind} key series-${mark.colour % 7}${mark.colour >= 7 ? " again" : ""}` }, svg);
    const points = mark.kind === "points";
    svgElement("path", { d: points ? SHAPES[mark.colour % SHAPES.length](left + x + 8, y - 4, 3.8) : `M${left + x} ${y - 4}h16` }, group);
    svgText(mark.name, { class: "tick", x: left + x + 21, y }, svg);
  });
  return { height: 20 * (row + 1) + 4, draw };
}

// Uncertain pairs: a dot for the adjacency with its interval, and an arrow for each direction.
function drawForest(element, forest, network) {
  const { rows } = forest;
  const width = element.clientWidth;
  const narrow = width < 560;
  const rowHeight = narrow ? 44 : 24;
  const words = rows.map(([source, target]) => `${network.variables[source]} – ${network.variables[target]}`);
  const left = narrow ? 12 : Math.min(0.5 * width, 20 + Math.max(...words.map((text) => textWidth(text, 13, 400))));
  const [top, bottom, right] = [8, 46, narrow ? 12 : 60];
  const height = top + rows.length * rowHeight + bottom;
  const x = (value) => left + value * (width - left - right);
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    svgElement("path", { class: "grid", d: `M${x(tick)} ${top}V${height - bottom}` }, svg);
    svgText(tickText(tick), { class: "tick", x: x(tick), y: height - bottom + 17, "text-anchor": "middle" }, svg);
  }
  svgText("probability", { class: "axis-label", x: x(0.5), y: height - 10, "text-anchor": "middle" }, svg);
  rows.forEach(([source, target, probability, low, high, forward, backward], i) => {
    const y = top + (i + 0.5) * rowHeight + (narrow ? 9 : 0);
    const group = svgElement("g", { class: "forest-row" }, svg);
    const name = svgText(words[i], { class: "row-name", x: narrow ? left : left - 12, y: narrow ? y - 12 : y + 4.5, "text-anchor": narrow ? "start" : "end" }, group);
    const most = narrow ? width - 70 : left - 14;
    if (textWidth(words[i], 13, 400) > most) name.style.fontSize = `${(13 * most) / textWidth(words[i], 13, 400)}px`;
    svgElement("path", { class: "interval", d: `M${x(low)} ${y}H${x(high)}M${x(low)} ${y - 4}v8M${x(high)} ${y - 4}v8` }, group);
    const arrow = (value, sign) => `M${x(value) + sign * 4} ${y}l${-sign * 7} -4v8Z`;
    svgElement("path", { class: "forward", d: arrow(forward, 1) }, group);
    svgElement("path", { class: "backward", d: arrow(backward, -1) }, group);
    svgElement("path", { class: "adjacency", d: SHAPES[0](x(probability), y, 4.5) }, group);
    svgText(probability.toFixed(2), { class: "tick", x: width - 8, y: narrow ? y - 12 : y + 4.5, "text-anchor": "end" }, group);
    const [from, to] = [network.variables[source], network.variables[target]];
    const interval = forest.intervals ? `, 95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}` : "";
    svgElement("title", {}, group).textContent = `${from} – ${to}: ${probability.toFixed(3)}${interval}; ${from} → ${to} ${forward.toFixed(3)}, ${to} → ${from} ${backward.toFixed(3)}`;
  });
  element.replaceChildren(svg);
}

const redrawings = [];

// Draws a chart, and redraws it whenever its width changes, since names and legend depend on it.
function keepDrawn(name, draw) {
  const element = document.getElementById(`chart-${name}`);
  if (!element) return () => {};
  let drawn = null;
  const redraw = () => {
    const width = element.clientWidth;
    if (width === 0 || width === drawn) return;
    drawn = width;
    draw(element);
  };
  redrawings.push(redraw);
  new ResizeObserver(redraw).observe(element);
  return () => { drawn = null; redraw(); };
}

function drawCharts(contents) {
  for (const [name, chart] of Object.entries(contents.charts)) {
    if (chart) keepDrawn(name, (element) => drawChart(element, chart));
  }
  if (contents.forest.rows.length) keepDrawn("forest", (element) => drawForest(element, contents.forest, contents.network));
}

// Paper is narrower than most windows: the page takes its width first, then the charts.
window.addEventListener("beforeprint", () => {
  document.body.classList.add("printing");
  for (const redraw of redrawings) redraw();
});
window.addEventListener("afterprint", () => document.body.classList.remove("printing"));
