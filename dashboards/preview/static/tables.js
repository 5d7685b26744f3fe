// Numbers as tables: the `table` view, and the values of any graph for those who read rather than look.

const MAX_TIMES = 48;
const MAX_READ = 500;
const SUMMARY = { MIN: "min", MAX: "max", SUM: "sum", AVG: "avg" };

function timesOf(rows, range) {
  const all = new Set();
  for (const row of rows) {
    const [from, to] = slotsIn(row, range);
    for (let i = from; i < to; i++) all.add(row.t + i * row.p);
  }
  return [...all].sort((a, b) => b - a);
}

const exact = (row, second) => {
  const place = (second - row.t) / row.p;
  return Number.isInteger(place) && place >= 0 && place < row.v.length ? row.v[place] : NaN;
};

function drawTable(host, spec, rows, view) {
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": spec.title || "Table" });
  host.append(box);
  const options = spec.table;
  const update = () => {
    const times = options.series ? timesOf(rows, view.range) : [];
    const shown = times.slice(0, MAX_TIMES);
    const head = [...options.summary.map((name) => name[0] + name.slice(1).toLowerCase())];
    const values = (row) => {
      const s = summaryOf(row, view.range);
      return options.summary.map((name) => s[SUMMARY[name]]);
    };
    const bare = !options.series && !options.summary.length;
    if (bare) head.push("Last");
    const label = (row) => make("th", { scope: "row", class: "label" }, swatchOf(row), labelText(row, view.range, spec.zone), unitOf(row, spec) ? make("small", {}, ` ${unitOf(row, spec)}`) : "");
    const table = make("table", { class: options.sticky ? "data sticky" : "data" });
    if (options.layout === "vertical") {
      table.append(
        make("thead", {}, make("tr", {}, make("th", {}, ""), ...rows.map(label))),
        make(
          "tbody",
          {},
          ...head.map((name, i) => make("tr", { class: "summary" }, make("th", { scope: "row" }, name), ...rows.map((row) => make("td", {}, longNumber(bare ? summaryOf(row, view.range).last : values(row)[i]))))),
          ...shown.map((second) => make("tr", {}, make("th", { scope: "row" }, timeText(second, spec.zone)), ...rows.map((row) => make("td", {}, longNumber(exact(row, second)))))),
        ),
      );
    } else {
      table.append(
        make("thead", {}, make("tr", {}, make("th", { class: "label" }, "Label"), ...head.map((name) => make("th", { class: "summary" }, name)), ...shown.map((second) => make("th", {}, timeText(second, spec.zone).slice(5))))),
        make(
          "tbody",
          {},
          ...rows.map((row) =>
            make(
              "tr",
              {},
              label(row),
              ...(bare ? [summaryOf(row, view.range).last] : values(row)).map((value) => make("td", { class: "summary" }, longNumber(value))),
              ...shown.map((second) => make("td", {}, longNumber(exact(row, second)))),
            ),
          ),
        ),
      );
    }
    const more = times.length - shown.length;
    box.replaceChildren(table, more > 0 ? make("p", { class: "aside" }, `The newest ${shown.length} of ${times.length} points; choose a shorter time range for the others.`) : "");
  };
  update();
  return { update };
}

// The values of a graph as a table, newest first.
function drawReading(host, spec, rows, view) {
  const box = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Values of ${spec.title || "graph"}` });
  host.append(box);
  const update = () => {
    const times = timesOf(rows, view.range);
    const shown = times.slice(0, MAX_READ);
    box.replaceChildren(
      make(
        "table",
        { class: "data sticky" },
        make("thead", {}, make("tr", {}, make("th", {}, zoneName(spec.zone)), ...rows.map((row) => make("th", { scope: "col" }, swatchOf(row), labelText(row, view.range, spec.zone), unitOf(row, spec) ? make("small", {}, ` ${unitOf(row, spec)}`) : "")))),
        make("tbody", {}, ...shown.map((second) => make("tr", {}, make("th", { scope: "row" }, timeText(second, spec.zone)), ...rows.map((row) => make("td", {}, longNumber(exact(row, second))))))),
      ),
      times.length > shown.length ? make("p", { class: "aside" }, `The newest ${shown.length} of ${times.length} points.`) : "",
    );
  };
  update();
  return { update };
}
