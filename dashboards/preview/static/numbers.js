// One number for each row: big numbers with a sparkline, gauges, bars, pies.

// The newest value of the range, or with setPeriodToTimeRange the statistic over the whole range.
function numberOf(row, spec, view) {
  if (spec.whole && row.whole) {
    const value = row.whole[view.preset] ?? (view.preset === null ? row.whole.all : undefined);
    return value === undefined || value === null ? NaN : value;
  }
  return summaryOf(row, view.range).last;
}

function wholeNote(spec, view) {
  return spec.whole && view.preset === null ? "For an own time range the number is that of the whole data." : "";
}

function sparkline(row, view, color) {
  const [from, to] = slotsIn(row, view.range);
  const count = to - from;
  if (count < 2) return "";
  const s = summaryOf(row, view.range);
  const height = 28;
  const span = s.max - s.min || 1;
  const buckets = Math.min(count, 160);
  let path = "";
  let pen = false;
  for (let b = 0; b < buckets; b++) {
    let sum = 0;
    let n = 0;
    for (let i = from + Math.floor((b * count) / buckets); i < from + Math.floor(((b + 1) * count) / buckets); i++) {
      if (row.v[i] === row.v[i]) [sum, n] = [sum + row.v[i], n + 1];
    }
    if (!n) {
      pen = false;
      continue;
    }
    const x = ((b / Math.max(1, buckets - 1)) * 100).toFixed(2);
    const y = (height - 2 - ((sum / n - s.min) / span) * (height - 4)).toFixed(2);
    path += `${pen ? "L" : "M"}${x} ${y}${pen ? "" : `h0.01`}`;
    pen = true;
  }
  return make(
    "svg:svg",
    { class: "spark", viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    make("svg:path", { d: path, fill: "none", stroke: color, "stroke-width": 1.5, "vector-effect": "non-scaling-stroke", "stroke-linecap": "round" }),
  );
}

function drawNumbers(host, spec, rows, view) {
  const box = make("div", { class: `numbers n${Math.min(rows.length, 4)}` });
  host.append(box);
  const update = () => {
    box.replaceChildren(
      ...rows.map((row) => {
        const value = numberOf(row, spec, view);
        const text = spec.full ? longNumber(value, true) : shortNumber(value);
        return make(
          "div",
          { class: "number", title: withUnit(longNumber(value, spec.full), unitOf(row, spec)) },
          make("div", { class: "value" }, text, unitOf(row, spec) ? make("small", {}, unitOf(row, spec)) : ""),
          spec.sparkline && !spec.whole ? sparkline(row, view, colorOf(row)) : "",
          make("div", { class: "words" }, swatchOf(row), labelText(row, view.range, spec.zone)),
        );
      }),
      wholeNote(spec, view) ? make("p", { class: "aside" }, wholeNote(spec, view)) : "",
    );
  };
  update();
  return { update };
}

function swatchOf(row) {
  const swatch = make("i", { class: "swatch" });
  swatch.style.background = colorOf(row);
  return swatch;
}

function arc(cx, cy, radius, from, to) {
  const at = (turn) => [cx + radius * Math.cos(turn), cy + radius * Math.sin(turn)];
  const [x1, y1] = at(from);
  const [x2, y2] = at(to);
  return `M${x1.toFixed(3)} ${y1.toFixed(3)}A${radius} ${radius} 0 ${to - from > Math.PI ? 1 : 0} 1 ${x2.toFixed(3)} ${y2.toFixed(3)}`;
}

function drawGauges(host, spec, rows, view) {
  const box = make("div", { class: "gauges" });
  host.append(box);
  const { min, max } = spec.axes.left;
  const turn = (value) => Math.PI * (0.85 + 1.3 * Math.min(1, Math.max(0, (value - min) / (max - min || 1))));
  const update = () => {
    box.replaceChildren(
      ...rows.map((row) => {
        const value = numberOf(row, spec, view);
        const drawing = make(
          "svg:svg",
          { viewBox: "0 0 120 88", role: "img", "aria-label": `${labelText(row, view.range, spec.zone)}: ${longNumber(value)} of ${min} to ${max}` },
          make("svg:path", { d: arc(60, 58, 44, turn(min), turn(max)), class: "track" }),
        );
        for (const line of spec.lines) {
          const ends = line.v2 !== undefined ? [line.v, line.v2] : line.fill === "above" ? [line.v, max] : line.fill === "below" ? [min, line.v] : null;
          if (ends) {
            drawing.append(make("svg:path", { d: arc(60, 58, 52, turn(Math.min(...ends)), turn(Math.max(...ends))), class: "zone-arc", stroke: lineColor(line) }));
          } else {
            const a = turn(line.v);
            drawing.append(
              make("svg:line", { x1: 60 + 38 * Math.cos(a), y1: 58 + 38 * Math.sin(a), x2: 60 + 54 * Math.cos(a), y2: 58 + 54 * Math.sin(a), stroke: lineColor(line), "stroke-width": 1.5 }),
            );
          }
        }
        if (value === value && value > min) drawing.append(make("svg:path", { d: arc(60, 58, 44, turn(min), turn(value)), class: "filled", stroke: colorOf(row) }));
        drawing.append(
          make("svg:text", { x: 60, y: 60, class: "gauge-value" }, shortNumber(value)),
          make("svg:text", { x: 60, y: 71, class: "gauge-unit" }, unitOf(row, spec)),
          make("svg:text", { x: 18, y: 86, class: "gauge-end" }, shortNumber(min)),
          make("svg:text", { x: 102, y: 86, class: "gauge-end" }, shortNumber(max)),
        );
        return make("div", { class: "gauge" }, drawing, make("div", { class: "words" }, labelText(row, view.range, spec.zone)));
      }),
      wholeNote(spec, view) ? make("p", { class: "aside" }, wholeNote(spec, view)) : "",
    );
  };
  update();
  return { update };
}

function drawBars(host, spec, rows, view) {
  const box = make("div", { class: "bars" });
  host.append(box);
  const update = () => {
    const values = rows.map((row) => numberOf(row, spec, view));
    const lines = spec.lines.flatMap((line) => [line.v, line.v2 ?? line.v]);
    const axis = spec.axes.left || {};
    const low = axis.min ?? Math.min(0, ...values.filter((value) => value === value));
    const high = axis.max ?? Math.max(0, ...values.filter((value) => value === value), ...lines);
    const place = (value) => `${(100 * (Math.min(high, Math.max(low, value)) - low)) / (high - low || 1)}%`;
    box.replaceChildren(
      ...rows.map((row, index) => {
        const fill = make("i", { class: "fill" });
        const zero = (100 * (Math.max(low, 0) - low)) / (high - low || 1);
        const end = values[index] === values[index] ? parseFloat(place(values[index])) : zero;
        fill.style.left = `${Math.min(zero, end)}%`;
        fill.style.width = `${Math.abs(end - zero)}%`;
        fill.style.background = colorOf(row);
        const track = make("div", { class: "track" }, fill);
        for (const line of spec.lines) {
          for (const value of [line.v, line.v2]) {
            if (value === undefined) continue;
            const mark = make("i", { class: "mark", title: `${line.label} ${longNumber(value)}` });
            mark.style.left = place(value);
            mark.style.background = lineColor(line);
            track.append(mark);
          }
        }
        return make(
          "div",
          { class: "bar" },
          make("span", { class: "words" }, labelText(row, view.range, spec.zone)),
          track,
          make("b", {}, withUnit(shortNumber(values[index], 4), unitOf(row, spec))),
        );
      }),
      wholeNote(spec, view) ? make("p", { class: "aside" }, wholeNote(spec, view)) : "",
    );
  };
  update();
  return { update };
}

function drawPie(host, spec, rows, view) {
  const box = make("div", { class: `pie legend-${spec.legend}` });
  host.append(box);
  const update = () => {
    const parts = rows.map((row) => ({ row, value: Math.max(0, numberOf(row, spec, view) || 0) }));
    const total = parts.reduce((sum, part) => sum + part.value, 0);
    const drawing = make("svg:svg", { viewBox: "-50 -50 100 100", role: "img", "aria-label": `${spec.title || "Pie"}: ${parts.map(({ row, value }) => `${labelText(row, view.range, spec.zone)} ${shortNumber(value)}`).join(", ")}` });
    let from = -Math.PI / 2;
    for (const { row, value } of parts) {
      if (!value) continue;
      const to = from + (2 * Math.PI * value) / total;
      const label = `${labelText(row, view.range, spec.zone)}: ${longNumber(value)}, ${shortNumber((100 * value) / total)} %`;
      const share = value / total;
      const shape =
        share > 0.9999
          ? make("svg:circle", { r: 46, fill: colorOf(row) })
          : make("svg:path", { d: `${arc(0, 0, 46, from, to)}L0 0Z`, fill: colorOf(row), class: "slice" });
      shape.append(make("svg:title", {}, label));
      drawing.append(shape);
      if (spec.pie_labels && share >= 0.05) {
        const middle = (from + to) / 2;
        drawing.append(make("svg:text", { x: 31 * Math.cos(middle), y: 31 * Math.sin(middle) + 2.2, class: "slice-share" }, `${shortNumber(100 * share)}%`));
      }
      from = to;
    }
    if (!total) drawing.append(make("svg:circle", { r: 46, class: "empty" }));
    const legend = make(
      "div",
      { class: "legend" },
      ...parts.map(({ row, value }) => make("span", {}, swatchOf(row), make("span", { class: "words" }, labelText(row, view.range, spec.zone)), make("b", {}, withUnit(shortNumber(value, 4), unitOf(row, spec))))),
    );
    box.replaceChildren(drawing, spec.legend === "hidden" ? "" : legend);
  };
  update();
  return { update };
}
