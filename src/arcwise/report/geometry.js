// Geometry of the network: curves, where they meet a node, and which names fit.
"use strict";

// A Catmull-Rom spline through the points, as cubic pieces [from, control, control, to].
function splinePieces(points) {
  const pieces = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b, c, d] = [points[i - 1] ?? points[i], points[i], points[i + 1], points[i + 2] ?? points[i + 1]];
    pieces.push([
      b,
      { x: b.x + (c.x - a.x) / 6, y: b.y + (c.y - a.y) / 6 },
      { x: c.x - (d.x - b.x) / 6, y: c.y - (d.y - b.y) / 6 },
      c,
    ]);
  }
  return pieces;
}

function pointOn([a, b, c, d], t) {
  const s = 1 - t;
  const [p, q, r, u] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return { x: p * a.x + q * b.x + r * c.x + u * d.x, y: p * a.y + q * b.y + r * c.y + u * d.y };
}

// A curve as closely spaced points, so that clipping it and finding its direction are simple.
function sampledCurve(points) {
  if (points.length === 2) {
    const [a, b] = points;
    const count = 24;
    return Array.from({ length: count + 1 }, (_, i) => ({
      x: a.x + ((b.x - a.x) * i) / count,
      y: a.y + ((b.y - a.y) * i) / count,
    }));
  }
  const result = [points[0]];
  for (const piece of splinePieces(points)) {
    for (let i = 1; i <= 14; i++) result.push(pointOn(piece, i / 14));
  }
  return result;
}

// Other ways between the ends of a curve, those that differ least from it first: a straight line is
// bent to either side; the bends of another are moved, together or one of them, and there may be one
// more.
function detoursOf(points) {
  const [start, end] = [points[0], points[points.length - 1]];
  const across = { x: start.y - end.y, y: end.x - start.x };
  const length = Math.hypot(across.x, across.y) || 1;
  const aside = points.length > 2 ? { x: 1, y: 0 } : { x: across.x / length, y: across.y / length };
  const between = (i, share) => ({ x: points[i - 1].x + share * (points[i].x - points[i - 1].x), y: points[i - 1].y + share * (points[i].y - points[i - 1].y) });
  const routes = points.length > 2 ? [points] : [];
  for (let i = 1; i < points.length; i++) {
    for (const share of [0.5, 0.3, 0.7]) routes.push([...points.slice(0, i), between(i, share), ...points.slice(i)]);
  }
  const moved = (route, which, offset) => route.map(({ x, y }, i) => (which(i) ? { x: x + offset * aside.x, y: y + offset * aside.y } : { x, y }));
  const offsets = [14, -14, 24, -24, 36, -36, 50, -50, 68, -68, 90, -90];
  const around = (chosen) => offsets.flatMap((offset) => chosen.flatMap((route) => {
    const bends = route.length - 2;
    const together = moved(route, (i) => i > 0 && i <= bends, offset);
    return bends === 1 ? [together] : [together, ...Array.from({ length: bends }, (_, bend) => moved(route, (i) => i === bend + 1, offset))];
  }));
  return points.length > 2 ? [...around(routes.slice(0, 1)), ...around(routes.slice(1))] : around(routes);
}

// Whether a curve of closely spaced points passes through a box.
function passesThrough(curve, box) {
  for (let i = 1; i < curve.length; i++) {
    const [a, b] = [curve[i - 1], curve[i]];
    const steps = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 4));
    for (let step = 0; step <= steps; step++) {
      const [x, y] = [a.x + ((b.x - a.x) * step) / steps, a.y + ((b.y - a.y) * step) / steps];
      if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
    }
  }
  return false;
}

// Whether a point lies in a node's shape enlarged by a gap: a box with round corners, or a dot.
function inShape(point, centre, { width, height, radius }, gap) {
  const across = Math.max(0, Math.abs(point.x - centre.x) - (width / 2 - radius));
  const down = Math.max(0, Math.abs(point.y - centre.y) - (height / 2 - radius));
  return Math.hypot(across, down) < radius + gap;
}

function crossing(inside, outside, centre, shape, gap) {
  let [near, far] = [inside, outside];
  for (let i = 0; i < 12; i++) {
    const middle = { x: (near.x + far.x) / 2, y: (near.y + far.y) / 2 };
    if (inShape(middle, centre, shape, gap)) near = middle;
    else far = middle;
  }
  return far;
}

// The visible part of an edge with its head, if it has one, and places for numbers on it; null if
// there is no room between the two nodes.
function edgeOutline(points, startShape, endShape, width, headLength) {
  const start = points[0];
  const end = points[points.length - 1];
  const whole = sampledCurve(points);
  const first = whole.findIndex((point) => !inShape(point, start, startShape, 2));
  let last = whole.length - 1;
  while (last >= 0 && inShape(whole[last], end, endShape, 2)) last -= 1;
  if (first < 1 || last < first || last === whole.length - 1) return null;
  const tip = crossing(whole[last + 1], whole[last], end, endShape, 2);
  const body = [crossing(whole[first - 1], whole[first], start, startShape, 2), ...whole.slice(first, last + 1)];
  const text = (point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`;
  const numbers = [0.5, 0.4, 0.6, 0.3, 0.7].map((share) => body[Math.round(share * (body.length - 1))]);
  const curve = [...body, tip];
  if (!headLength) return { line: "M" + curve.map(text).join("L"), head: null, numbers, curve };
  while (body.length > 1 && Math.hypot(body[body.length - 1].x - tip.x, body[body.length - 1].y - tip.y) < headLength) body.pop();
  const from = body[body.length - 1];
  const distance = Math.hypot(tip.x - from.x, tip.y - from.y) || 1;
  const along = { x: (tip.x - from.x) / distance, y: (tip.y - from.y) / distance };
  const base = { x: tip.x - along.x * headLength, y: tip.y - along.y * headLength };
  if (body.length > 1 || distance > headLength) body.push({ x: base.x + along.x, y: base.y + along.y });
  const half = 0.46 * headLength;
  const left = { x: base.x - along.y * half, y: base.y + along.x * half };
  const right = { x: base.x + along.y * half, y: base.y - along.x * half };
  return { line: "M" + body.map(text).join("L"), head: `M${text(tip)}L${text(left)}L${text(right)}Z`, numbers, curve };
}

function overlaps(a, b, gap) {
  return a.left < b.right + gap && b.left < a.right + gap && a.top < b.bottom + gap && b.top < a.bottom + gap;
}

function boxAround(centre, width, height) {
  return { left: centre.x - width / 2, right: centre.x + width / 2, top: centre.y - height / 2, bottom: centre.y + height / 2 };
}

function boxesFit(centres, widths, height) {
  const boxes = centres.map((centre, i) => boxAround(centre, widths[i], height));
  return boxes.every((box, i) => boxes.every((other, j) => j <= i || !overlaps(box, other, 6)));
}

// Names beside dots: in order of importance, at the first free position; null where there is none.
function placedLabels(centres, widths, heights, radius, order, room) {
  const dots = centres.map((centre) => boxAround(centre, 2 * radius, 2 * radius));
  const taken = [];
  const result = centres.map(() => null);
  for (const i of order) {
    const { x, y } = centres[i];
    const [half, off, height] = [widths[i] / 2, radius + 4, heights[i]];
    const places = [
      { x, y: y + off + height / 2 },
      { x, y: y - off - height / 2 },
      { x: x + off + half, y },
      { x: x - off - half, y },
    ];
    for (const place of places) {
      const box = boxAround(place, widths[i], height);
      if (box.left < 2 || box.right > room.width - 2 || box.top < 2 || box.bottom > room.height - 2) continue;
      if (taken.some((other) => overlaps(box, other, 3))) continue;
      if (dots.some((other, j) => j !== i && overlaps(box, other, 1))) continue;
      taken.push(box);
      result[i] = place;
      break;
    }
  }
  return result;
}

// Neighbours in a layer are shifted up and down alternately, so that their names have more room;
// returns the shift of each node, from -1 to 1.
function staggered(places, rows) {
  const layers = new Map();
  places.forEach(([, y], i) => layers.set(y, [...(layers.get(y) ?? []), i]));
  const steps = places.map(() => 0);
  for (const layer of layers.values()) {
    if (layer.length < 2) continue;
    layer.sort((a, b) => places[a][0] - places[b][0]);
    layer.forEach((node, rank) => { steps[node] = (2 * (rank % rows)) / (rows - 1) - 1; });
  }
  return steps;
}
