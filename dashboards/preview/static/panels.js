// Widgets without metrics: text, log tables, placeholders; and the box that every widget stands in.

function drawText(host, spec) {
  const box = make("div", { class: "markdown", tabindex: "0" });
  box.innerHTML = spec.html; // CommonMark without HTML, links judged: dashboards/preview/markdown.py
  host.append(box);
}

function drawPlaceholder(host, spec) {
  host.append(
    make(
      "div",
      { class: "placeholder" },
      make("p", { class: "why" }, spec.why),
      make("dl", {}, ...(spec.facts || []).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    ),
  );
}

function drawLog(host, spec) {
  if (spec.why) {
    host.append(make("div", { class: "placeholder" }, make("p", { class: "why" }, spec.why), make("pre", {}, spec.query)));
    return;
  }
  const numbers = spec.columns.map((_, i) => spec.cells.some((row) => row[i] !== "") && spec.cells.every((row) => row[i] === "" || !isNaN(Number(row[i]))));
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": spec.title || "Log query" });
  if ((spec.view === "bar" || spec.view === "pie") && numbers.some(Boolean) && spec.cells.length) {
    const at = numbers.indexOf(true);
    const rows = spec.cells.slice(0, 20).map((cells, index) => ({
      index, label: [cells.filter((_, i) => i !== at).join(" ") || spec.columns[at]], v: [Number(cells[at])], t: 0, p: 1e12, unit: "",
    }));
    const plain = { ...spec, lines: [], axes: {}, legend: "right", pie_labels: true, zone: 0 };
    (spec.view === "bar" ? drawBars : drawPie)(host, plain, rows, { range: [0, 1e11], preset: "all" });
    return;
  }
  box.append(
    make(
      "table",
      { class: "data log" },
      make("thead", {}, make("tr", {}, make("th", { class: "count" }, "#"), ...spec.columns.map((name, i) => make("th", { class: numbers[i] ? "is-number" : "is-text" }, name)))),
      make("tbody", {}, ...spec.cells.map((cells, index) => make("tr", {}, make("td", { class: "count" }, String(index + 1)), ...cells.map((cell, i) => make("td", { class: numbers[i] ? "is-number" : "is-text" }, cell))))),
    ),
    spec.cells.length ? "" : make("p", { class: "aside" }, "No event matches the query in this time."),
    spec.view === "timeSeries" ? make("p", { class: "aside" }, "The widget asks for a graph of these rows; they are shown as a table.") : "",
  );
  host.append(box);
}

// The inside of a metric widget by its view; a graph can be turned into a table of its values.
async function drawMetric(host, spec, view) {
  const rows = await loadRows(spec);
  if (spec.why) {
    host.append(make("div", { class: "placeholder" }, make("p", { class: "why" }, spec.why)));
    if (!spec.alarms.length || spec.view !== "timeSeries") return null;
    const strips = looseStrips(spec, view);
    host.append(strips.host);
    return strips;
  }
  if (view.reading) return drawReading(host, spec, rows, view);
  switch (spec.view) {
    case "singleValue": return drawNumbers(host, spec, rows, view);
    case "gauge": return drawGauges(host, spec, rows, view);
    case "bar": return drawBars(host, spec, rows, view);
    case "pie": return drawPie(host, spec, rows, view);
    case "table": return drawTable(host, spec, rows, view);
    default: return drawChart(host, spec, rows, view);
  }
}

async function drawInside(host, spec, view) {
  switch (spec.kind) {
    case "metric": return drawMetric(host, spec, view);
    case "text": return drawText(host, spec);
    case "log": return drawLog(host, spec);
    case "alarm": return drawAlarmGrid(host, spec, view);
    default: return drawPlaceholder(host, spec);
  }
}
