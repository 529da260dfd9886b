// A picture of a view of the network: places, boxes, links and labels. Its elements have their
// looks as attributes, so that it can be saved by itself; on the page, styles come on top.
"use strict";

const MAX_ZOOM = 12;
const LARGE = 60;
const MANY = 20;
const MOST_HEIGHT = 1100;
const MOST_NUMBERED = 100;
const NUMBERS_WIDTH = 66;
const ROW_HEIGHT = 84;
const RULE = 34;
const INK = "#1b1f24";
const LINE = "#2b333b";

function linkWidth(probability, large) {
  return (0.7 + 2.8 * probability) * (large ? 0.55 : 0.85);
}

function linkOpacity(probability) {
  return 0.12 + 0.88 * probability;
}

class Picture {
  constructor(network, svg) {
    this.names = network.variables;
    this.lines = network.labels;
    this.views = network.views;
    this.links = network.links.map(([source, target, forward, backward, error], index) => ({
      index, source, target, forward, backward, error,
      probability: Math.min(1, forward + backward),
      open: backward >= 0.1 * (forward + backward),
    }));
    this.threshold = network.start.threshold;
    this.chosen = null;
    this.found = new Set();
    this.zoom = 1;
    this.svg = svg;
    this.world = svgElement("g", {}, svg);
    this.frameLayer = svgElement("g", { "aria-hidden": "true" }, this.world);
    this.linkLayer = svgElement("g", { "aria-hidden": "true" }, this.world);
    this.numberLayer = svgElement("g", { "aria-hidden": "true" }, this.world);
    this.nodeLayer = svgElement("g", {}, this.world);
  }

  setView(number) {
    this.viewNumber = number;
    this.view = this.views[number];
    const { nodes, places } = this.view;
    this.where = new Map(nodes.map((node, place) => [node, place]));
    this.large = nodes.length > LARGE;
    this.svg.classList.toggle("large", this.large);
    this.radius = this.large ? 4 : 5;
    const many = nodes.length > MANY;
    this.fontSize = this.large ? 11 : many ? 12 : 13;
    this.lineHeight = this.fontSize + 3;
    const lines = nodes.map((node) => this.lines[node]);
    this.textWidths = lines.map((own) => Math.max(...own.map((line) => textWidth(line, this.fontSize))) + 2);
    this.textHeights = lines.map((own) => own.length * this.lineHeight);
    this.boxHeight = Math.max(...this.textHeights) + 10;
    this.boxRadius = Math.min(13, this.boxHeight / 2);
    this.boxWidths = this.textWidths.map((width) => Math.max(34, width + (many ? 14 : 22)));
    this.inside = this.links.filter((link) => this.where.has(link.source) && this.where.has(link.target));
    this.alone = new Set(this.view.alone);
    const joined = places.filter((_, i) => !this.alone.has(i));
    const every = [...joined, ...Object.values(this.view.ways).flat(), ...this.view.frames.flatMap(([a, b, c, d]) => [[a, b], [c, d]])];
    const extent = (axis) => (joined.length ? [Math.min(...every.map((p) => p[axis])), Math.max(...every.map((p) => p[axis]))] : [0, 0]);
    this.extent = { x: extent(0), y: extent(1) };
    this.strength = nodes.map(() => 0);
    for (const { source, target, probability } of this.inside) {
      this.strength[this.where.get(source)] += probability;
      this.strength[this.where.get(target)] += probability;
    }
    this.makeNodes();
  }

  // The height in which the layers of the view are neither crowded nor far apart.
  get layersHeight() {
    if (this.alone.size === this.view.nodes.length) return 0;
    const rows = this.extent.y[1] - this.extent.y[0] + 1;
    return Math.round(Math.min(860, Math.max(260, rows * (this.large ? 62 : ROW_HEIGHT + this.boxHeight - 26) + 20)));
  }

  // Nodes without an edge stand in lines beneath the others, like words; all their names are shown.
  makeLines(width) {
    const rowHeight = this.large ? Math.max(...this.textHeights) + 6 : this.boxHeight + 8;
    this.inLines = new Map();
    let [across, row] = [12, 0];
    for (const place of this.alone) {
      const room = this.large ? 2 * this.radius + this.textWidths[place] + 18 : this.boxWidths[place] + 8;
      if (across > 12 && across + room > width - 4) [across, row] = [12, row + 1];
      this.inLines.set(place, { x: across + (this.large ? this.radius : this.boxWidths[place] / 2), y: RULE + (row + 0.5) * rowHeight });
      across += room;
    }
    this.linesHeight = this.alone.size ? RULE + (row + 1) * rowHeight + 8 : 0;
  }

  makeNodes() {
    this.nodeLayer.replaceChildren();
    this.nodes = this.view.nodes.map((node, place) => {
      const group = svgElement("g", { class: "node", tabindex: place === 0 ? "0" : "-1", role: "button", "aria-label": this.names[node], "data-node": node }, this.nodeLayer);
      const shape = svgElement("rect", {}, group);
      const label = svgElement("text", { "text-anchor": "middle", "font-family": FONT, "font-weight": 500, "font-size": this.fontSize, fill: INK, "aria-hidden": "true" }, group);
      for (const line of this.lines[node]) svgElement("tspan", { "xml:space": "preserve" }, label).textContent = line;
      const more = svgText("", { class: "elsewhere", "font-family": FONT, "font-size": 10, fill: "#0b5c94", "aria-hidden": "true" }, group);
      svgElement("title", {}, group).textContent = this.names[node];
      return { group, shape, label, more };
    });
  }

  // Sets the size of the picture, given the height of its layers.
  setSize(width, layersHeight) {
    this.makeLines(width);
    this.layers = layersHeight;
    this.size = { width, height: layersHeight + this.linesHeight };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.size.height}`);
  }

  // The position of a point of the view on the screen, before panning.
  onScreen([x, y]) {
    const [width, height] = [this.size.width, this.layers];
    const { side, end } = this.margins;
    const share = ([low, high], value) => (high > low ? (value - low) / (high - low) : 0.5);
    return {
      x: this.zoom * (side + share(this.extent.x, x) * (width - 2 * side)),
      y: this.zoom * (end + share(this.extent.y, y) * (height - 2 * end)),
    };
  }

  // Nodes are boxes around their names if these fit, with each layer in one, two or three rows;
  // otherwise they are dots.
  arrange() {
    const gap = this.layerGap();
    const widest = Math.max(...this.boxWidths) / 2 + 8;
    for (const rows of this.large ? [] : [1, 2, 3]) {
      const off = rows === 1 ? 0 : (rows - 1) * (this.boxHeight / 2 + 4);
      this.margins = { side: Math.min(widest, this.size.width * 0.2), end: this.boxHeight / 2 + 10 + off };
      if (rows > 1 && this.zoom * gap < 2 * off + 1.7 * this.boxHeight) continue;
      const steps = rows === 1 ? this.view.places.map(() => 0) : staggered(this.view.places, rows);
      this.centres = this.centresOf((place, i) => {
        const { x, y } = this.onScreen(place);
        return { x, y: y + off * steps[i] };
      });
      if (boxesFit(this.centres, this.boxWidths, this.boxHeight)) return true;
    }
    this.margins = { side: 28, end: 26 };
    this.centres = this.centresOf((place) => this.onScreen(place));
    return false;
  }

  centresOf(inLayers) {
    return this.view.places.map((place, i) => {
      const line = this.inLines.get(i);
      return line ? { x: this.zoom * line.x, y: this.zoom * (this.layers + line.y) } : inLayers(place, i);
    });
  }

  layerGap() {
    const rows = [...new Set(this.view.places.filter((_, i) => !this.alone.has(i)).map(([, y]) => y))].sort((a, b) => a - b);
    const gaps = rows.slice(1).map((y, i) => y - rows[i]);
    const whole = this.extent.y[1] - this.extent.y[0] || 1;
    return (Math.min(whole, ...gaps) / whole) * (this.layers - 2 * this.boxHeight);
  }

  // Arranges everything; returns whether every name has its place.
  place() {
    this.asBoxes = this.arrange();
    const dot = { width: 2 * this.radius, height: 2 * this.radius, radius: this.radius };
    this.shapes = this.boxWidths.map((width) => (this.asBoxes ? { width, height: this.boxHeight, radius: this.boxRadius } : dot));
    if (this.asBoxes) this.labelPlaces = this.centres;
    else {
      const near = this.neighbours();
      const important = (place) => {
        const node = this.view.nodes[place];
        return (node === this.chosen ? 4e6 : 0) + (this.found.has(node) ? 2e6 : 0) + (near.has(node) ? 1e6 : 0) + this.strength[place];
      };
      const order = this.view.nodes.map((_, place) => place).filter((place) => !this.alone.has(place)).sort((a, b) => important(b) - important(a) || a - b);
      const room = { width: this.size.width * this.zoom, height: (this.layers + RULE / 2) * this.zoom };
      this.labelPlaces = placedLabels(this.centres, this.textWidths, this.textHeights, this.radius, order, room);
      for (const place of this.alone) {
        const { x, y } = this.centres[place];
        this.labelPlaces[place] = { x: x + this.radius + 4 + this.textWidths[place] / 2, y };
      }
    }
    return this.labelPlaces.every(Boolean);
  }

  // The height, and the smallest zoom, at which every name of the view is there to be read.
  fitting(width) {
    this.zoom = 1;
    const natural = this.layersHeight;
    this.setSize(width, natural);
    if (this.large) return;
    const heights = [];
    for (let factor = 1; natural * factor <= Math.max(natural, MOST_HEIGHT) && factor < 3; factor *= 1.12) heights.push(Math.round(natural * factor));
    for (const boxes of [true, false]) {
      for (const height of heights) {
        this.setSize(width, height);
        if (this.place() && (this.asBoxes || !boxes)) return;
      }
    }
    this.setSize(width, natural);
    for (; this.zoom < MAX_ZOOM; this.zoom *= 1.12) {
      if (this.place()) return;
    }
  }

  draw() {
    this.place();
    this.drawFrames();
    this.drawNodes();
    this.drawLinks();
  }

  drawFrames() {
    this.frameLayer.replaceChildren(...this.view.frames.map(([left, top, right, bottom]) => {
      const [from, to] = [this.onScreen([left, top]), this.onScreen([right, bottom])];
      return svgElement("rect", { class: "frame", x: from.x.toFixed(1), y: from.y.toFixed(1), width: (to.x - from.x).toFixed(1), height: (to.y - from.y).toFixed(1), rx: 8, fill: "#f6f7f9", stroke: "#dfe3e8" });
    }));
    if (!this.alone.size || !this.layers) return;
    const right = this.size.width * this.zoom;
    const y = this.zoom * (this.layers + 14);
    svgElement("path", { class: "rule", d: `M12 ${y.toFixed(1)}H${(right - 12).toFixed(1)}`, stroke: "#dfe3e8" }, this.frameLayer);
    svgText("without an edge", { class: "rule-words", x: 12, y: (y + 14).toFixed(1), "font-family": FONT, "font-size": 11, fill: "#56606b" }, this.frameLayer);
  }

  drawNodes() {
    const near = this.neighbours();
    const outside = this.linksElsewhere();
    this.nodes.forEach(({ group, shape, label, more }, place) => {
      const node = this.view.nodes[place];
      const { x, y } = this.centres[place];
      const { width, height, radius } = this.shapes[place];
      const box = { x: x - width / 2, y: y - height / 2, width, height, rx: radius };
      for (const [key, value] of Object.entries(box)) shape.setAttribute(key, value.toFixed(1));
      const looks = this.asBoxes ? { fill: "#ffffff", stroke: "#56606b", "stroke-width": 1.2 } : { fill: "#56606b", stroke: "#ffffff", "stroke-width": 1.5 };
      for (const [key, value] of Object.entries(looks)) shape.setAttribute(key, value);
      const at = this.labelPlaces[place];
      label.setAttribute("display", at ? "inline" : "none");
      if (at) this.placeLines(label, at);
      more.textContent = outside[place] ? `+${outside[place]}` : "";
      more.setAttribute("x", (x + width / 2 - 2).toFixed(1));
      more.setAttribute("y", (y - height / 2 - 2).toFixed(1));
      group.classList.toggle("dot", !this.asBoxes);
      group.classList.toggle("chosen", node === this.chosen);
      group.classList.toggle("found", this.found.has(node));
      const apart = this.chosen === null ? this.found.size > 0 && !this.found.has(node) : node !== this.chosen && !near.has(node);
      group.classList.toggle("faded", apart && !this.found.has(node));
      group.setAttribute("aria-pressed", String(node === this.chosen));
    });
  }

  placeLines(label, { x, y }) {
    const lines = [...label.children];
    lines.forEach((line, i) => {
      line.setAttribute("x", x.toFixed(1));
      line.setAttribute("y", (y + (i - (lines.length - 1) / 2) * this.lineHeight + 0.35 * this.fontSize).toFixed(1));
    });
  }

  shownLinks() {
    return this.inside.filter((link) => link.probability >= this.threshold);
  }

  // For each node, the number of links shown that lead out of the view.
  linksElsewhere() {
    const numbers = this.view.nodes.map(() => 0);
    if (this.view.nodes.length === this.names.length) return numbers;
    for (const { source, target, probability } of this.links) {
      if (probability < this.threshold) continue;
      const [from, to] = [this.where.get(source), this.where.get(target)];
      if (from !== undefined && to === undefined) numbers[from] += 1;
      if (to !== undefined && from === undefined) numbers[to] += 1;
    }
    return numbers;
  }

  neighbours() {
    const near = new Set();
    if (this.chosen === null) return near;
    for (const link of this.shownLinks()) {
      if (link.source === this.chosen) near.add(link.target);
      if (link.target === this.chosen) near.add(link.source);
    }
    return near;
  }

  drawLinks() {
    const shown = this.shownLinks();
    const numbered = shown.length <= MOST_NUMBERED;
    this.numbers = [];
    this.numberLayer.replaceChildren(); // on top of all links, so that none strikes them through
    // The most probable have the first choice of places for numbers, and lie on top of the others.
    this.curves = [];
    const drawn = shown.map((link) => this.drawnLink(link));
    this.linkLayer.replaceChildren(...drawn.map(({ group }) => group).reverse());
    for (const each of numbered ? drawn : []) if (each.link.open && each.outline) this.addNumbers(each);
  }

  drawnLink(link) {
    const [source, target] = [this.where.get(link.source), this.where.get(link.target)];
    const width = linkWidth(link.probability, this.large);
    const way = this.view.ways[link.index] ?? [];
    const points = this.roundNodes([this.centres[source], ...way.map((place) => this.onScreen(place)), this.centres[target]], source, target);
    const headLength = link.open ? 0 : (this.large ? 3.5 : 5) + 1.7 * width;
    const outline = edgeOutline(points, this.shapes[source], this.shapes[target], width, headLength);
    const kind = this.kindOf(link);
    const faint = kind === "faded" ? 0.12 : this.view.frames.length && this.between(source, target) ? 0.22 : 1;
    const own = { "data-edge": `${link.source} ${link.target}` };
    const group = svgElement("g", { class: `edge ${kind} ${link.open ? "open" : ""}`.trim(), ...own, opacity: (linkOpacity(link.probability) * faint).toFixed(3) });
    svgElement("title", {}, group).textContent = this.wordsOf(link);
    if (!outline) return { link, group, outline };
    this.curves.push({ link, curve: outline.curve });
    svgElement("path", { class: "line", d: outline.line, fill: "none", stroke: LINE, "stroke-width": width.toFixed(2) }, group);
    if (outline.head) svgElement("path", { class: "head", d: outline.head, fill: LINE }, group);
    return { link, group, outline, points, looks: { class: `numbers ${kind}`.trim(), ...own, opacity: faint } };
  }

  // The points of a link, moved so that it runs behind as few other nodes as can be: a line behind
  // a node looks like two links of that node.
  roundNodes(points, source, target) {
    if (!this.asBoxes) return points;
    const others = this.centres.map((centre, i) => [centre, this.shapes[i]]).filter((_, i) => i !== source && i !== target);
    const met = (curve) => others.filter(([centre, shape]) => curve.some((point) => inShape(point, centre, shape, 3))).length;
    const right = this.size.width * this.zoom - 6; // beyond it nothing is seen
    let [best, fewest] = [points, met(sampledCurve(points))];
    for (let again = 0; fewest && again < 3; again++) {
      for (const way of detoursOf(best).filter((each) => each.every(({ x }) => x >= 6 && x <= right))) {
        const count = met(sampledCurve(way));
        if (count < fewest) [best, fewest] = [way, count];
        if (!fewest) break;
      }
    }
    return best;
  }

  // The probabilities of both directions on a link that has none, where there is room on it.
  addNumbers({ link, outline, points, looks }) {
    const { forward, backward } = link;
    const [from, to] = [points[0], points[points.length - 1]];
    const upright = Math.abs(to.y - from.y) > 0.3 * Math.abs(to.x - from.x);
    const [there, back] = upright ? (to.y > from.y ? "↓↑" : "↑↓") : (to.x > from.x ? "→←" : "←→");
    const half = NUMBERS_WIDTH / 2 + 2;
    const inside = outline.numbers.map(({ x, y }) => ({ x: Math.min(this.size.width * this.zoom - half, Math.max(half, x)), y }));
    const room = inside.filter((place) => this.isFree(place));
    // Where another link passes, one cannot tell whose numbers they are.
    const others = this.curves.filter((other) => other.link !== link).map(({ curve }) => curve);
    const passed = (place) => others.some((curve) => passesThrough(curve, boxAround(place, NUMBERS_WIDTH, 14)));
    const free = room.find((place) => !passed(place)) ?? room[0];
    if (!free) return;
    const group = svgElement("g", looks, this.numberLayer);
    const box = boxAround(free, NUMBERS_WIDTH, 12);
    this.numbers.push(box);
    svgElement("rect", { class: "plate", x: box.left.toFixed(1), y: box.top.toFixed(1), width: NUMBERS_WIDTH, height: 12, fill: "#ffffff" }, group);
    svgText(`${there}${forward.toFixed(2)} ${back}${backward.toFixed(2)}`, { class: "share", x: free.x.toFixed(1), y: (free.y + 3.5).toFixed(1), "text-anchor": "middle", "font-family": FONT, "font-size": 10, fill: INK }, group);
  }

  // Whether numbers at a place would be clear of all nodes and of other numbers.
  isFree(place) {
    const number = boxAround(place, NUMBERS_WIDTH, 11);
    return this.numbers.every((other) => !overlaps(number, other, 1)) && this.centres.every((centre, i) => !overlaps(number, boxAround(centre, this.shapes[i].width, this.shapes[i].height), 0));
  }

  wordsOf({ source, target, probability, forward, backward }) {
    const [from, to] = [this.names[source], this.names[target]];
    return `${from} – ${to}: adjacent with probability ${probability.toFixed(3)} (${from} → ${to} ${forward.toFixed(3)}, ${to} → ${from} ${backward.toFixed(3)})`;
  }

  // Whether two nodes are in different frames.
  between(one, other) {
    const frameOf = ([x, y]) => this.view.frames.findIndex(([left, top, right, bottom]) => x > left && x < right && y > top && y < bottom);
    return frameOf(this.view.places[one]) !== frameOf(this.view.places[other]);
  }

  // How a link is highlighted: by the selected node, else by the nodes found.
  kindOf({ source, target, open }) {
    if (this.chosen !== null) {
      if (source !== this.chosen && target !== this.chosen) return "faded";
      return open ? "undecided" : target === this.chosen ? "incoming" : "outgoing";
    }
    return this.found.size === 0 || this.found.has(source) || this.found.has(target) ? "" : "faded";
  }
}
