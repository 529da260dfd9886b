// The panel beside the network: the parents, children and Markov blanket of the selected node.
"use strict";

function showPanel(contents, node, choose) {
  const panel = document.getElementById("panel");
  if (node === null) {
    panel.replaceChildren(...overview(contents.network, choose));
    return;
  }
  const { network } = contents;
  const directions = directionsOf(network);
  const close = htmlElement("button", { type: "button", class: "close", "aria-label": "Clear selection" }, "×");
  close.addEventListener("click", () => choose(null));
  const of = (from, to) => directions
    .filter((edge) => edge[from] === node && edge[2] >= 0.005)
    .map((edge) => [[edge[to]], edge[2]])
    .sort((a, b) => b[1] - a[1]);
  const bars = (title, rows, most, empty, kind = "") => {
    const list = htmlElement("ul", { class: `bars ${kind}` });
    for (const [members, probability] of rows.slice(0, most)) {
      list.append(barRow(network, members, probability, choose));
    }
    const rest = rows.length > most ? [htmlElement("p", { class: "note" }, `and ${rows.length - most} less probable`)] : [];
    return [htmlElement("h4", {}, title), ...(rows.length ? [list] : [htmlElement("p", { class: "note" }, empty)]), ...rest];
  };
  const { parent_sets: sets, blankets } = contents.nodes;
  panel.replaceChildren(
    htmlElement("div", { class: "panel-head" }, htmlElement("h3", { id: "chosen-name" }, ...brokenName(network.pieces[node])), close),
    ...(sets
      ? bars("Parent sets", sets[node], 6, "No parent set has a probability of 0.005 or more.", "sets")
      : [htmlElement("h4", {}, "Parent sets"), htmlElement("p", { class: "note" }, contents.nodes.why_no_parent_sets)]),
    ...(blankets
      ? bars("Markov blanket", blankets[node].map(([member, probability]) => [[member], probability]), 8, "No variable is in it with a probability of 0.005 or more.")
      : [htmlElement("h4", {}, "Markov blanket"), htmlElement("p", { class: "note" }, contents.nodes.why_no_blankets)]),
    ...bars("Parents", of(1, 0), 5, "No parent has a probability of 0.005 or more.", "incoming"),
    ...bars("Children", of(0, 1), 5, "No child has a probability of 0.005 or more.", "outgoing"));
}

// While no node is selected: what a selection would show, and a few nodes to start with.
function overview(network, choose) {
  const { variables } = network;
  const expected = variables.map(() => 0);
  for (const [source, target, probability] of directionsOf(network)) {
    expected[source] += probability;
    expected[target] += probability;
  }
  const order = variables.map((_, i) => i).sort((a, b) => expected[b] - expected[a]).slice(0, 10);
  const list = htmlElement("ul", { class: "bars" });
  for (const node of order) list.append(barRow(network, [node], expected[node], choose, expected[order[0]] || 1, 1));
  return [
    htmlElement("p", { class: "hint" }, "Select a node, here or in the network, to see its parents, children, Markov blanket and most probable parent sets."),
    htmlElement("h4", {}, "Expected number of neighbours"),
    list,
  ];
}

// Every directed edge as [source, target, probability].
function directionsOf({ links }) {
  return links.flatMap(([source, target, forward, backward]) => [[source, target, forward], [target, source, backward]]);
}

// One row: names to select, a bar, and the number.
function barRow({ pieces }, members, value, choose, whole = 1, digits = 3) {
  const names = htmlElement("span", { class: "names" });
  if (members.length === 0) names.append(htmlElement("em", {}, "no parents"));
  members.forEach((member, i) => {
    const link = htmlElement("button", { type: "button", class: "link" }, ...brokenName(pieces[member]));
    link.addEventListener("click", () => choose(member));
    names.append(htmlElement("span", { class: "member" }, link, i + 1 < members.length ? "," : ""), " ");
  });
  const bar = htmlElement("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", value / whole);
  return htmlElement("li", {}, names, bar, htmlElement("span", { class: "number" }, value.toFixed(digits)));
}
