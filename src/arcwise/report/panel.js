// The panel beside the network: what is known of the node chosen.
"use strict";

function htmlElement(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function showPanel(contents, node, choose) {
  const panel = document.getElementById("panel");
  const { variables, edges } = contents.network;
  if (node === null) {
    panel.replaceChildren(
      htmlElement("p", { class: "hint" }, "No node is chosen. Click one, or find it by name, to see here its parents, its children, its Markov blanket and its likeliest parent sets."));
    return;
  }
  const close = htmlElement("button", { type: "button", class: "close", "aria-label": "Clear selection" }, "×");
  close.addEventListener("click", () => choose(null));
  const most = 8;
  const of = (from, to) => edges
    .filter((edge) => edge[from] === node && edge[2] >= 0.005)
    .map((edge) => [[edge[to]], edge[2]]);
  const bars = (title, rows, empty, kind = "") => {
    const list = htmlElement("ul", { class: `bars ${kind}` });
    for (const [members, probability] of rows.slice(0, most)) {
      list.append(barRow(variables, members, probability, choose));
    }
    const rest = rows.length > most ? [htmlElement("p", { class: "note" }, `and ${rows.length - most} less probable`)] : [];
    return [htmlElement("h4", {}, title), ...(rows.length ? [list] : [htmlElement("p", { class: "note" }, empty)]), ...rest];
  };
  const { parent_sets: sets, blankets } = contents.nodes;
  panel.replaceChildren(
    htmlElement("div", { class: "panel-head" }, htmlElement("h3", { id: "chosen-name" }, variables[node]), close),
    ...bars("Parents", of(1, 0), "No parent has a probability of 0.005 or more.", "incoming"),
    ...bars("Children", of(0, 1), "No child has a probability of 0.005 or more.", "outgoing"),
    ...(blankets
      ? bars("Markov blanket", blankets[node].map(([member, probability]) => [[member], probability]), "Nothing is in it with a probability of 0.005 or more.")
      : [htmlElement("h4", {}, "Markov blanket"), htmlElement("p", { class: "note" }, contents.nodes.why_no_blankets)]),
    ...(sets
      ? bars("Parent sets", sets[node], "No single set has a probability of 0.005 or more.", "sets")
      : [htmlElement("h4", {}, "Parent sets"), htmlElement("p", { class: "note" }, contents.nodes.why_no_parent_sets)]));
}

// One line: names to choose, a bar, and the probability.
function barRow(variables, members, probability, choose) {
  const names = htmlElement("span", { class: "names" });
  if (members.length === 0) names.append(htmlElement("em", {}, "no parents"));
  members.forEach((member, i) => {
    const link = htmlElement("button", { type: "button", class: "link" }, variables[member]);
    link.addEventListener("click", () => choose(member));
    names.append(...(i ? [", "] : []), link);
  });
  const bar = htmlElement("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", probability);
  return htmlElement("li", {}, names, bar, htmlElement("span", { class: "number" }, probability.toFixed(3)));
}
