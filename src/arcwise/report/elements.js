// Elements of the page, made by name, and the width of text.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function svgElement(name, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parent) parent.append(element);
  return element;
}

function svgText(text, attributes, parent) {
  const element = svgElement("text", attributes, parent);
  element.textContent = text;
  return element;
}

function htmlElement(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A name that may be broken between its words, and nowhere else.
function brokenName(pieces) {
  return pieces.flatMap((piece, i) => (i === 0 ? [piece] : [document.createElement("wbr"), piece]));
}

function count(number) {
  return number.toLocaleString("en");
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "DejaVu Sans", sans-serif';
const measuring = document.createElement("canvas").getContext("2d");

function textWidth(text, size, weight = 500) {
  measuring.font = `${weight} ${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

// Hands a file to the reader.
function download(content, type, name) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = htmlElement("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
