// The network as a file for a paper: SVG, PNG, and PDF by way of the printer.
"use strict";

const PAPER_WIDTH = 1000;
const PNG_SCALE = 3;

// The view that is shown as a picture of its own: all of it, every name, on white.
function pictureOf(network, view) {
  const svg = svgElement("svg", { xmlns: SVG });
  const picture = new Picture(network, svg);
  picture.threshold = view.threshold;
  picture.setView(view.viewNumber);
  picture.fitting(PAPER_WIDTH);
  picture.draw();
  const { width, height } = picture.size;
  const [wide, tall] = [Math.ceil(width * picture.zoom), Math.ceil(height * picture.zoom)];
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall })) svg.setAttribute(name, value);
  svg.prepend(svgElement("rect", { width: wide, height: tall, fill: "#ffffff" }));
  for (const group of svg.querySelectorAll(".node")) {
    for (const name of ["tabindex", "role", "aria-label", "aria-pressed"]) group.removeAttribute(name);
  }
  return svg;
}

function fileName(contents, ending) {
  const stem = (contents.data_name ?? "").replace(/\.(csv|tsv|tab|parquet)(\.gz)?$/i, "").replace(/[^\p{L}\p{N}._-]+/gu, "-");
  return `${stem ? `${stem}-` : ""}network.${ending}`;
}

function saveSvg(contents, view) {
  const text = new XMLSerializer().serializeToString(pictureOf(contents.network, view));
  download(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, "image/svg+xml;charset=utf-8", fileName(contents, "svg"));
}

function savePng(contents, view) {
  const svg = pictureOf(contents.network, view);
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = document.createElement("canvas");
    // Browsers refuse to draw on more than about 16,000 points on a side.
    const scale = Math.min(PNG_SCALE, 16000 / image.width, 16000 / image.height);
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(blob, "image/png", fileName(contents, "png")), "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
}

// A page that can only be opened cannot write PDF, but it can be printed to one: the picture alone,
// on a sheet of its size, with its lines and letters as they are.
function printPicture(contents, view) {
  const svg = pictureOf(contents.network, view);
  const [width, height] = [svg.getAttribute("width"), svg.getAttribute("height")];
  const sheet = htmlElement("div", { id: "sheet" }, svg);
  const style = htmlElement("style", {}, `@page { size: ${width}px ${height}px; margin: 0; }`);
  document.head.append(style);
  document.body.append(sheet);
  document.body.classList.add("picture-only");
  window.addEventListener("afterprint", () => {
    document.body.classList.remove("picture-only");
    sheet.remove();
    style.remove();
  }, { once: true });
  window.print();
}
