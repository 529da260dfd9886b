// The network: edges by threshold, search, selecting a node, zooming and panning.
"use strict";

const MAX_ZOOM = 12;

class NetworkView {
  constructor(contents, onChoose) {
    const { variables, places, edges } = contents.network;
    this.names = variables;
    this.places = places;
    this.edges = edges.map(([source, target, probability, error, way]) => ({ source, target, probability, error, way }));
    this.onChoose = onChoose;
    this.threshold = contents.network.threshold;
    this.chosen = null;
    this.found = new Set();
    this.view = { zoom: 1, x: 0, y: 0 };
    this.large = variables.length > LARGE;
    this.radius = this.large ? 4 : 5;
    this.fontSize = this.large ? 11 : 13;
    this.labels = variables.map(shortened);
    this.textWidths = this.labels.map((label) => textWidth(label, this.fontSize) + 2);
    this.widths = this.textWidths.map((width) => Math.max(BOX_HEIGHT + 8, width + 22));
    this.strength = variables.map(() => 0);
    for (const edge of this.edges) {
      this.strength[edge.source] += edge.probability;
      this.strength[edge.target] += edge.probability;
    }
    this.svg = document.getElementById("graph");
    this.svg.classList.toggle("large", this.large);
    this.world = svgElement("g", {}, this.svg);
    this.edgeLayer = svgElement("g", { "aria-hidden": "true" }, this.world);
    this.nodeLayer = svgElement("g", {}, this.world);
    this.makeNodes();
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.svg);
    this.fit();
  }

  makeNodes() {
    this.nodes = this.names.map((name, i) => {
      const group = svgElement("g", { class: "node", tabindex: i === 0 ? "0" : "-1", role: "button", "aria-label": name, "data-node": i }, this.nodeLayer);
      const shape = svgElement("rect", {}, group);
      const label = svgElement("text", { "text-anchor": "middle", "dominant-baseline": "central", "aria-hidden": "true" }, group);
      label.textContent = this.labels[i];
      svgElement("title", {}, group).textContent = name;
      return { group, shape, label };
    });
  }

  // Adapts to the current size of the window and redraws.
  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width === 0) return;
    this.size = { width, height };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.keepInside();
    this.draw();
  }

  // The screen position of a point of the unit square, before panning.
  onScreen([x, y]) {
    const { width, height } = this.size;
    const { side, end } = this.margins;
    return { x: this.view.zoom * (side + x * (width - 2 * side)), y: this.view.zoom * (end + y * (height - 2 * end)) };
  }

  // Nodes are boxes around their names if these fit, with each layer in one, two or three rows;
  // otherwise they are dots.
  arrange() {
    const gap = this.layerGap();
    const widest = Math.max(...this.widths) / 2 + 8;
    for (const rows of [1, 2, 3]) {
      const off = rows === 1 ? 0 : (rows - 1) * (BOX_HEIGHT / 2 + 5);
      this.margins = { side: Math.min(widest, this.size.width * 0.2), end: BOX_HEIGHT + off };
      if (rows > 1 && this.view.zoom * gap < 2 * off + 2 * BOX_HEIGHT) continue;
      const steps = rows === 1 ? this.places.map(() => 0) : staggered(this.places, rows);
      this.centres = this.places.map((place, i) => {
        const { x, y } = this.onScreen(place);
        return { x, y: y + off * steps[i] };
      });
      if (boxesFit(this.centres, this.widths)) return true;
    }
    this.margins = { side: 28, end: BOX_HEIGHT };
    this.centres = this.places.map((place) => this.onScreen(place));
    return false;
  }

  layerGap() {
    const rows = [...new Set(this.places.map(([, y]) => y))].sort((a, b) => a - b);
    const gaps = rows.slice(1).map((y, i) => y - rows[i]);
    return Math.min(1, ...gaps) * (this.size.height - 2 * BOX_HEIGHT);
  }

  draw() {
    this.asBoxes = this.arrange();
    this.shapes = this.widths.map((width) =>
      this.asBoxes ? { width, height: BOX_HEIGHT } : { width: 2 * this.radius, height: 2 * this.radius });
    this.drawNodes();
    this.drawEdges();
    this.move();
  }

  drawNodes() {
    const near = this.neighbours();
    const important = (i) => (i === this.chosen ? 4e6 : 0) + (this.found.has(i) ? 2e6 : 0) + (near.has(i) ? 1e6 : 0) + this.strength[i];
    const order = this.names.map((_, i) => i).sort((a, b) => important(b) - important(a) || a - b);
    const beside = this.asBoxes ? null : placedLabels(this.centres, this.textWidths, this.fontSize, this.radius, order, this.size.width * this.view.zoom);
    this.nodes.forEach(({ group, shape, label }, i) => {
      const { x, y } = this.centres[i];
      const { width, height } = this.shapes[i];
      const box = { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 };
      for (const [key, value] of Object.entries(box)) shape.setAttribute(key, value.toFixed(1));
      const place = this.asBoxes ? this.centres[i] : beside[i];
      label.setAttribute("display", place ? "inline" : "none");
      if (place) {
        label.setAttribute("x", place.x.toFixed(1));
        label.setAttribute("y", place.y.toFixed(1));
      }
      group.classList.toggle("dot", !this.asBoxes);
      group.classList.toggle("chosen", i === this.chosen);
      group.classList.toggle("found", this.found.has(i));
      const apart = this.chosen === null ? this.found.size > 0 && !this.found.has(i) : i !== this.chosen && !near.has(i);
      group.classList.toggle("faded", apart && !this.found.has(i));
      group.setAttribute("aria-pressed", String(i === this.chosen));
    });
  }

  neighbours() {
    const near = new Set();
    if (this.chosen === null) return near;
    for (const edge of this.shownEdges()) {
      if (edge.source === this.chosen) near.add(edge.target);
      if (edge.target === this.chosen) near.add(edge.source);
    }
    return near;
  }

  shownEdges() {
    return this.edges.filter((edge) => edge.probability >= this.threshold);
  }

  drawEdges() {
    const fragment = document.createDocumentFragment();
    // The least probable first, so that the others lie on top.
    for (const edge of this.shownEdges().reverse()) {
      const width = (0.7 + 2.8 * edge.probability) * (this.large ? 0.5 : 0.85);
      const points = [this.centres[edge.source], ...edge.way.map((place) => this.onScreen(place)), this.centres[edge.target]];
      const outline = edgeOutline(points, this.shapes[edge.source], this.shapes[edge.target], width, this.large);
      const group = svgElement("g", { class: "edge", "data-edge": `${edge.source} ${edge.target}` }, fragment);
      const kind = this.kindOf(edge);
      if (kind) group.classList.add(kind);
      group.style.opacity = (0.12 + 0.88 * edge.probability) * (kind === "faded" ? 0.12 : 1);
      const words = `${this.names[edge.source]} → ${this.names[edge.target]}: ${edge.probability.toFixed(3)}`;
      svgElement("title", {}, group).textContent = words;
      if (outline) {
        svgElement("path", { class: "line", d: outline.line, "stroke-width": width.toFixed(2) }, group);
        svgElement("path", { class: "head", d: outline.head }, group);
      }
    }
    this.edgeLayer.replaceChildren(fragment);
  }

  // How an edge is highlighted: by the selected node, else by the nodes found.
  kindOf({ source, target }) {
    if (this.chosen !== null) {
      return target === this.chosen ? "incoming" : source === this.chosen ? "outgoing" : "faded";
    }
    return this.found.size === 0 || this.found.has(source) || this.found.has(target) ? "" : "faded";
  }

  move() {
    this.world.setAttribute("transform", `translate(${this.view.x.toFixed(1)} ${this.view.y.toFixed(1)})`);
    this.svg.classList.toggle("zoomed", this.view.zoom > 1);
  }

  keepInside() {
    const { zoom } = this.view;
    const { width, height } = this.size;
    this.view.x = Math.min(0, Math.max(width * (1 - zoom), this.view.x));
    this.view.y = Math.min(0, Math.max(height * (1 - zoom), this.view.y));
  }

  zoomBy(factor, centre = { x: this.size.width / 2, y: this.size.height / 2 }) {
    const before = this.view.zoom;
    const zoom = Math.min(MAX_ZOOM, Math.max(1, before * factor));
    this.view = {
      zoom,
      x: centre.x - ((centre.x - this.view.x) * zoom) / before,
      y: centre.y - ((centre.y - this.view.y) * zoom) / before,
    };
    this.keepInside();
    this.draw();
  }

  reset() {
    this.view = { zoom: 1, x: 0, y: 0 };
    this.draw();
  }

  moveTo(node) {
    const { x, y } = this.centres[node];
    this.view.x = this.size.width / 2 - x;
    this.view.y = this.size.height / 2 - y;
    this.keepInside();
    this.move();
  }

  choose(node) {
    this.chosen = node;
    if (node !== null) this.makeCurrent(node);
    this.draw();
    this.onChoose(node);
  }

  setThreshold(value) {
    this.threshold = value;
    this.draw();
    return this.shownEdges().length;
  }

  // Marks the nodes whose names contain the text; returns their indices.
  find(text) {
    const wanted = text.trim().toLocaleLowerCase();
    const matching = this.names.map((_, i) => i).filter((i) => wanted && this.names[i].toLocaleLowerCase().includes(wanted));
    this.found = new Set(matching);
    this.draw();
    return matching;
  }

  makeCurrent(node) {
    for (const { group } of this.nodes) group.setAttribute("tabindex", "-1");
    this.nodes[node].group.setAttribute("tabindex", "0");
  }

  // The nearest node in the direction of an arrow key.
  nextNode(node, key) {
    const ahead = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!ahead) return null;
    const from = this.centres[node];
    let best = null;
    let least = Infinity;
    this.centres.forEach((to, i) => {
      const along = (to.x - from.x) * ahead[0] + (to.y - from.y) * ahead[1];
      const aside = Math.abs((to.x - from.x) * ahead[1]) + Math.abs((to.y - from.y) * ahead[0]);
      const cost = along + 2 * aside;
      if (i !== node && along > 1 && cost < least) [best, least] = [i, cost];
    });
    return best;
  }

  listen() {
    const nodeOf = (event) => {
      const group = event.target.closest(".node");
      return group ? Number(group.dataset.node) : null;
    };
    this.svg.addEventListener("keydown", (event) => {
      const node = nodeOf(event);
      if (event.key === "Escape") this.choose(null);
      if (node === null) return;
      if (event.key === "Enter" || event.key === " ") this.choose(node);
      const next = this.nextNode(node, event.key);
      if (next !== null) {
        this.makeCurrent(next);
        this.nodes[next].group.focus();
        if (this.view.zoom > 1) this.moveTo(next);
      } else if (!["Enter", " "].includes(event.key)) return;
      event.preventDefault();
    });
    this.svg.addEventListener("wheel", (event) => {
      // Plain scrolling scrolls the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY / 200), this.local(event));
    }, { passive: false });
    this.listenToPointers(nodeOf);
  }

  local(event) {
    const box = this.svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  // The nearest node within touching distance, since dots are small; else null.
  nodeNear({ x, y }) {
    const distances = this.centres.map((centre) => Math.hypot(centre.x + this.view.x - x, centre.y + this.view.y - y));
    const least = Math.min(...distances);
    return least <= 14 ? distances.indexOf(least) : null;
  }

  // One pointer pans, two zoom, and one that hardly moves is a click.
  listenToPointers(nodeOf) {
    const down = new Map();
    let travelled = 0;
    this.svg.addEventListener("pointerdown", (event) => {
      if (down.size === 0) travelled = 0;
      down.set(event.pointerId, this.local(event));
    });
    window.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      const now = this.local(event);
      travelled += Math.hypot(now.x - before.x, now.y - before.y);
      const other = [...down].find(([id]) => id !== event.pointerId);
      if (other) {
        const [, fixed] = other;
        const factor = Math.hypot(now.x - fixed.x, now.y - fixed.y) / (Math.hypot(before.x - fixed.x, before.y - fixed.y) || 1);
        this.zoomBy(factor, { x: (now.x + fixed.x) / 2, y: (now.y + fixed.y) / 2 });
      } else if (travelled > 4) {
        this.view.x += now.x - before.x;
        this.view.y += now.y - before.y;
        this.keepInside();
        this.move();
      }
      down.set(event.pointerId, now);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      window.addEventListener(end, (event) => down.delete(event.pointerId));
    }
    this.svg.addEventListener("click", (event) => {
      if (travelled <= 4) this.choose(nodeOf(event) ?? this.nodeNear(this.local(event)));
    });
  }
}
