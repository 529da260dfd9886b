// The network on the page: a picture that one can search, select from, zoom and pan.
"use strict";

class NetworkView extends Picture {
  constructor(network, { onChoose, onView }) {
    super(network, document.getElementById("graph"));
    this.onChoose = onChoose;
    this.onView = onView;
    this.shift = { x: 0, y: 0 };
    this.listen();
    this.showView(network.start.view);
    new ResizeObserver(() => this.fit()).observe(this.svg);
  }

  showView(number) {
    this.setView(number);
    this.onView(number);
    this.width = null;
    this.fit();
  }

  // Adapts to the width of the window; a new one begins with every name to be read.
  fit() {
    const { width } = this.svg.getBoundingClientRect();
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.fitting(width);
    this.svg.style.height = `${this.size.height}px`;
    this.shift = { x: 0, y: 0 };
    this.redraw();
  }

  redraw() {
    this.draw();
    this.move();
  }

  move() {
    this.world.setAttribute("transform", `translate(${this.shift.x.toFixed(1)} ${this.shift.y.toFixed(1)})`);
    this.svg.classList.toggle("zoomed", this.zoom > 1);
  }

  keepInside() {
    const { width, height } = this.size;
    this.shift.x = Math.min(0, Math.max(width * (1 - this.zoom), this.shift.x));
    this.shift.y = Math.min(0, Math.max(height * (1 - this.zoom), this.shift.y));
  }

  zoomBy(factor, centre = { x: this.size.width / 2, y: this.size.height / 2 }) {
    const before = this.zoom;
    this.zoom = Math.min(MAX_ZOOM, Math.max(1, before * factor));
    this.shift = {
      x: centre.x - ((centre.x - this.shift.x) * this.zoom) / before,
      y: centre.y - ((centre.y - this.shift.y) * this.zoom) / before,
    };
    this.keepInside();
    this.redraw();
  }

  reset() {
    this.zoom = 1;
    this.shift = { x: 0, y: 0 };
    this.redraw();
  }

  moveTo(node) {
    const { x, y } = this.centres[this.where.get(node)];
    this.shift = { x: this.size.width / 2 - x, y: this.size.height / 2 - y };
    this.keepInside();
    this.move();
  }

  // Selects a node, in the view it is in.
  choose(node) {
    this.chosen = node;
    if (node !== null && !this.where.has(node)) {
      this.showView(this.views.findIndex(({ nodes }, number) => number > 0 && nodes.includes(node)));
    }
    if (node !== null) this.makeCurrent(node);
    this.redraw();
    this.onChoose(node);
  }

  setThreshold(value) {
    this.threshold = value;
    this.redraw();
  }

  // Marks the nodes whose names contain the text; returns them.
  find(text) {
    const wanted = text.trim().toLocaleLowerCase();
    const matching = this.names.map((_, i) => i).filter((i) => wanted && this.names[i].toLocaleLowerCase().includes(wanted));
    this.found = new Set(matching);
    this.redraw();
    return matching;
  }

  makeCurrent(node) {
    for (const { group } of this.nodes) group.setAttribute("tabindex", "-1");
    this.nodes[this.where.get(node)].group.setAttribute("tabindex", "0");
  }

  // The nearest node in the direction of an arrow key.
  nextNode(node, key) {
    const ahead = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    if (!ahead) return null;
    const own = this.where.get(node);
    const from = this.centres[own];
    let best = null;
    let least = Infinity;
    this.centres.forEach((to, i) => {
      const along = (to.x - from.x) * ahead[0] + (to.y - from.y) * ahead[1];
      const aside = Math.abs((to.x - from.x) * ahead[1]) + Math.abs((to.y - from.y) * ahead[0]);
      const cost = along + 2 * aside;
      if (i !== own && along > 1 && cost < least) [best, least] = [this.view.nodes[i], cost];
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
        this.nodes[this.where.get(next)].group.focus({ preventScroll: true });
        if (this.zoom > 1) this.moveTo(next);
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
    const distances = this.centres.map((centre) => Math.hypot(centre.x + this.shift.x - x, centre.y + this.shift.y - y));
    const least = Math.min(...distances);
    return least <= 14 ? this.view.nodes[distances.indexOf(least)] : null;
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
        this.shift.x += now.x - before.x;
        this.shift.y += now.y - before.y;
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
