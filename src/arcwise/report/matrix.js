// The matrix of edge probabilities of the view shown, by one scale of shades.
"use strict";

const SMALLEST_NAMED_CELL = 11;
const LONGEST_NAME = 240;

// The shade of a probability between two of the scale; on a dark page the scale is turned round.
function shadeOf(shades, probability) {
  const above = Math.max(1, shades.findIndex(([limit]) => limit >= probability));
  const [[low, from], [high, to]] = [shades[above - 1], shades[above]];
  const share = (probability - low) / (high - low);
  const part = (colour, i) => Number.parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16);
  const mixed = [0, 1, 2].map((i) => Math.round(part(from, i) + share * (part(to, i) - part(from, i))));
  return `rgb(${mixed.join(" ")})`;
}

const darkPage = window.matchMedia("(prefers-color-scheme: dark)");

function pageShades(shades) {
  if (!darkPage.matches || document.body.classList.contains("printing")) return shades;
  // From the paper of the dark page up to nearly white.
  return [[0, "#14181d"], [0.02, "#1b2530"], [0.25, "#1f4a73"], [0.5, "#2f7ab8"], [0.75, "#7db8e0"], [1, "#eef6fc"]];
}

function drawMatrix(element, contents, view) {
  const { variables, links } = contents.network;
  const { nodes } = view;
  const shades = pageShades(contents.shades);
  const width = element.clientWidth;
  const widths = nodes.map((node) => textWidth(variables[node], 11, 400));
  const beside = 26 + Math.min(LONGEST_NAME, 0.4 * width, Math.max(...widths));
  let cell = Math.min(34, (width - beside - 8) / nodes.length);
  const named = cell >= SMALLEST_NAMED_CELL;
  const left = named ? beside : 26;
  if (!named) cell = Math.min(SMALLEST_NAMED_CELL, (width - left - 8) / nodes.length);
  const side = cell * nodes.length;
  const below = 46;
  const svg = svgElement("svg", { viewBox: `0 0 ${width} ${left + side + below}`, width, height: left + side + below, "aria-hidden": "true" });
  const where = new Map(nodes.map((node, i) => [node, i]));
  svgElement("rect", { class: "matrix-frame", x: left, y: left, width: side, height: side, fill: shades[0][1] }, svg);
  svgElement("path", { class: "reference", d: `M${left} ${left}L${left + side} ${left + side}` }, svg);
  const cells = svgElement("g", {}, svg);
  for (const [source, target, forward, backward] of links) {
    const [from, to] = [where.get(source), where.get(target)];
    if (from === undefined || to === undefined) continue;
    for (const [row, column, value, one, other] of [[from, to, forward, source, target], [to, from, backward, target, source]]) {
      if (value < 0.0005) continue;
      const gap = cell > 8 ? 0.5 : 0;
      const rect = svgElement("rect", { x: (left + column * cell + gap).toFixed(2), y: (left + row * cell + gap).toFixed(2), width: (cell - 2 * gap).toFixed(2), height: (cell - 2 * gap).toFixed(2), fill: shadeOf(shades, value) }, cells);
      svgElement("title", {}, rect).textContent = `${variables[one]} → ${variables[other]}: ${value.toFixed(3)}`;
    }
  }
  if (named) nodes.forEach((node, i) => drawNames(svg, variables[node], left, cell, i, left - 24));
  svgText("from", { class: "axis-label", x: 11, y: left + side / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${left + side / 2})` }, svg);
  svgText("to", { class: "axis-label", x: left + side / 2, y: 13, "text-anchor": "middle" }, svg);
  drawScale(svg, shades, left, left + side + 14, Math.min(220, side));
  element.replaceChildren(svg);
  return named;
}

// A name before its row and above its column; one longer than the room for it is set smaller.
function drawNames(svg, name, left, cell, i, room) {
  const size = Math.min(11, (11 * room) / Math.max(1, textWidth(name, 11, 400)));
  const middle = left + (i + 0.5) * cell;
  svgText(name, { class: "matrix-name row", x: left - 6, y: middle + 0.35 * size, "text-anchor": "end", "font-size": size }, svg);
  svgText(name, { class: "matrix-name column", x: middle, y: left - 6, transform: `rotate(-90 ${middle} ${left - 6}) translate(0 ${0.35 * size})`, "font-size": size }, svg);
}

function drawScale(svg, shades, left, top, width) {
  const pieces = 40;
  for (let i = 0; i < pieces; i++) {
    svgElement("rect", { x: left + (i * width) / pieces, y: top, width: width / pieces + 0.5, height: 9, fill: shadeOf(shades, (i + 0.5) / pieces) }, svg);
  }
  svgElement("rect", { class: "matrix-frame", x: left, y: top, width, height: 9, fill: "none" }, svg);
  for (const tick of [0, 0.5, 1]) svgText(tickText(tick), { class: "tick", x: left + tick * width, y: top + 24, "text-anchor": tick === 0 ? "start" : tick === 1 ? "end" : "middle" }, svg);
}
