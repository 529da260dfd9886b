// The table of edges: sorting, filters, and download as a CSV file.
"use strict";

const ROWS_AT_ONCE = 100;

class EdgeTable {
  constructor(contents) {
    const { variables, pieces, links, has_errors: hasErrors } = contents.network;
    this.rows = links.map(([u, v, forward, backward, error]) => ({
      source: variables[u],
      target: variables[v],
      names: { source: pieces[u], target: pieces[v] },
      adjacency: Math.min(1, forward + backward),
      forward,
      backward,
      adjacency_error: error,
    }));
    this.columns = [
      { key: "source", title: "From" },
      { key: "target", title: "To" },
      { key: "adjacency", title: "Adjacent", numeric: true },
      { key: "forward", title: "→", label: "from → to", numeric: true },
      { key: "backward", title: "←", label: "to → from", numeric: true },
      ...(hasErrors ? [{ key: "adjacency_error", title: "Std. error", numeric: true }] : []),
    ];
    this.sorting = { key: "adjacency", falling: true };
    this.limit = ROWS_AT_ONCE;
    this.table = document.getElementById("edge-table");
    this.makeHead();
    this.listen();
    this.draw();
  }

  makeHead() {
    const row = this.table.tHead.rows[0];
    for (const { key, title, label, numeric } of this.columns) {
      const button = htmlElement("button", { type: "button", ...(label ? { "aria-label": label } : {}) }, title, htmlElement("span", { class: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => this.sortBy(key, Boolean(numeric)));
      row.append(htmlElement("th", { scope: "col", "data-key": key, ...(numeric ? { class: "number" } : {}) }, button));
    }
  }

  listen() {
    this.text = document.getElementById("filter-text");
    this.least = document.getElementById("filter-probability");
    for (const input of [this.text, this.least]) {
      input.addEventListener("input", () => {
        this.limit = ROWS_AT_ONCE;
        this.draw();
      });
    }
    document.getElementById("more-rows").addEventListener("click", () => {
      this.limit += 5 * ROWS_AT_ONCE;
      this.draw();
    });
    document.getElementById("download").addEventListener("click", () => this.download());
  }

  sortBy(key, numeric) {
    const again = this.sorting.key === key;
    this.sorting = { key, falling: again ? !this.sorting.falling : numeric };
    this.draw();
  }

  chosenRows() {
    const wanted = this.text.value.trim().toLocaleLowerCase();
    const least = Number.parseFloat(this.least.value) || 0;
    const { key, falling } = this.sorting;
    const sign = falling ? -1 : 1;
    const compared = (a, b) => {
      // Unknown values come last in either sorting direction.
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b);
    };
    return this.rows
      .filter((row) => row.adjacency >= least)
      .filter((row) => !wanted || row.source.toLocaleLowerCase().includes(wanted) || row.target.toLocaleLowerCase().includes(wanted))
      .sort((a, b) => compared(a[key], b[key]) || b.adjacency - a.adjacency);
  }

  draw() {
    const rows = this.chosenRows();
    for (const cell of this.table.tHead.rows[0].cells) {
      const own = cell.dataset.key === this.sorting.key;
      if (own) cell.setAttribute("aria-sort", this.sorting.falling ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    const shown = rows.slice(0, this.limit);
    this.table.tBodies[0].replaceChildren(...shown.map((row) => this.drawnRow(row)));
    const all = shown.length === rows.length ? "" : `; showing the first ${count(shown.length)}`;
    document.getElementById("row-count").textContent =
      `${count(rows.length)} of ${count(this.rows.length)} pairs${all}`;
    document.getElementById("more-rows").hidden = shown.length === rows.length;
    document.getElementById("download").textContent = `Download ${count(rows.length)} rows as CSV`;
  }

  drawnRow(row) {
    return htmlElement("tr", {}, ...this.columns.map(({ key, numeric }) => {
      const value = row[key];
      if (!numeric) return htmlElement("td", { class: "name" }, ...brokenName(row.names[key]));
      const cell = htmlElement("td", { class: "number" }, value === null ? "–" : value.toFixed(key === "adjacency_error" ? 4 : 3));
      cell.dataset.key = key;
      if (key === "adjacency") {
        cell.classList.add("with-bar");
        cell.style.setProperty("--share", value);
      }
      return cell;
    }));
  }

  csv() {
    const quoted = (value) => {
      const text = value === null ? "" : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = this.chosenRows().map((row) => this.columns.map(({ key }) => quoted(key === "adjacency" ? Number(row[key].toFixed(6)) : row[key])));
    return [this.columns.map(({ key }) => key), ...lines].map((cells) => cells.join(",") + "\r\n").join("");
  }

  download() {
    download(this.csv(), "text/csv;charset=utf-8", "edges.csv");
  }
}
