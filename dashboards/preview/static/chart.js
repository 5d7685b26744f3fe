// Lines over time: uPlot with CloudWatch's annotations, a shared cross-hair, values under it, and alarm states below.

const shared = uPlot.sync("page");

function unitOf(row, spec) {
  if (row.unit) return row.unit;
  const axis = spec.axes[row.axis] || {};
  return axis.label && axis.label.length <= 28 ? axis.label : "";
}

// One time axis for rows of different periods: null is a gap, undefined is between two points of a longer period.
function alignedData(rows, spec, hidden) {
  const same = rows.every((row) => row.t === rows[0].t && row.p === rows[0].p && row.v.length === rows[0].v.length);
  let times;
  if (same) {
    times = Array.from(rows[0].v, (_, i) => rows[0].t + i * rows[0].p);
  } else {
    const all = new Set();
    for (const row of rows) for (let i = 0; i < row.v.length; i++) all.add(row.t + i * row.p);
    times = [...all].sort((a, b) => a - b);
  }
  const columns = rows.map((row) => {
    if (same) return Array.from(row.v, (value) => (value !== value ? null : value));
    return times.map((time) => {
      const place = (time - row.t) / row.p;
      if (place < 0 || place >= row.v.length) return null;
      if (!Number.isInteger(place)) return undefined;
      const value = row.v[place];
      return value !== value ? null : value;
    });
  });
  if (!spec.stacked) return [times, ...columns];
  const totals = { left: new Float64Array(times.length), right: new Float64Array(times.length) };
  return [
    times,
    ...columns.map((column, index) => {
      const total = totals[rows[index].axis];
      return column.map((value, i) => {
        if (value === undefined || hidden.has(index)) return value === undefined ? undefined : null;
        if (value === null) return null;
        total[i] += value;
        return total[i];
      });
    }),
  ];
}

// A point without neighbours makes no line, and two make one that is too short to see: they are drawn as dots.
function lonely(column) {
  const found = [];
  let run = [];
  for (let i = 0; i <= column.length; i++) {
    if (column[i] === undefined && i < column.length) continue;
    if (i < column.length && column[i] !== null) {
      run.push(i);
      continue;
    }
    if (run.length <= 2) found.push(...run);
    run = [];
  }
  return found;
}

function scaleRange(spec, side) {
  const axis = spec.axes[side] || {};
  const lines = spec.lines.filter((line) => line.axis === side).flatMap((line) => [line.v, line.v2 ?? line.v]);
  return (u, low, high) => {
    const values = [low, high, ...lines].filter((value) => value !== null && value !== undefined && isFinite(value));
    let [min, max] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
    if (low === null || low === undefined) min = Math.min(0, min); // lines alone: start at 0
    if (spec.stacked) min = Math.min(0, min);
    const room = (max - min || Math.abs(max) || 1) * 0.08;
    const floor = axis.min ?? (min >= 0 && min - room < 0 ? 0 : min - room);
    let ceiling = axis.max ?? (min === 0 && max === 0 ? 1 : max + room);
    if (ceiling <= floor) ceiling = floor + 1;
    return [floor, ceiling];
  };
}

function timeTicks(zone) {
  return (u, splits) => {
    let day = "";
    return splits.map((second) => {
      const parts = timeParts(second, zone);
      const fresh = parts.day !== day;
      day = parts.day;
      return parts.clock === "00:00" || (splits.length > 1 && splits[1] - splits[0] >= 86400)
        ? parts.short
        : fresh
          ? `${parts.clock}\n${parts.short}`
          : parts.clock;
    });
  };
}

function axisOf(side, scale) {
  return {
    scale,
    side: side === "left" ? 3 : 1,
    stroke: css("--muted"),
    font: css("--chart-font"),
    gap: 4,
    size: (u, values) => Math.max(34, ...(values || []).map((value) => 12 + 6.6 * String(value).length)),
    space: 34,
    grid: { show: side === "left", stroke: css("--gridline"), width: 1 },
    ticks: { show: false },
    values: (u, splits) => splits.map((value) => shortNumber(value, 4)),
  };
}

function drawChart(host, spec, rows, view) {
  const hidden = new Set();
  const zone = spec.zone;
  const range = () => (spec.own && !view.zoomed ? spec.own : view.range);
  const sides = ["left", "right"].filter((side) => rows.some((row) => row.axis === side));
  if (!sides.includes("left")) sides.unshift("left");
  const units = make("div", { class: "units" });
  for (const side of sides) {
    const axis = spec.axes[side] || {};
    const own = [...new Set(rows.filter((row) => row.axis === side).map((row) => row.unit).filter(Boolean))];
    const unit = axis.units === false || own.length !== 1 ? "" : own[0];
    units.append(make("span", { class: side }, [axis.label, axis.label === unit ? "" : unit].filter(Boolean).join(" · ")));
  }
  const plot = make("div", { class: "plot", tabindex: "0", role: "group", "aria-roledescription": "graph" });
  const tip = make("div", { class: "tip", hidden: true });
  const bare = make("div", { class: "bare", hidden: true }, "No point in this range");
  const legend = make("div", { class: "legend" });
  const strips = make("div", { class: "strips" });
  const body = make("div", { class: `chart legend-${spec.legend}` }, make("div", { class: "canvas" }, units, plot, strips), legend);
  host.append(body);

  let data = alignedData(rows, spec, hidden);
  const dots = data.slice(1).map(lonely);
  const bands = [];
  if (spec.stacked) for (let i = 1; i < rows.length; i++) bands.push({ series: [i + 1, i] });
  const options = {
    width: 300,
    height: 120,
    padding: [6, sides.includes("right") ? 0 : 18, 0, 0],
    legend: { show: false },
    tzDate: (second) => {
      const date = new Date((second + zone * 60) * 1000);
      return new Date(date.getTime() + date.getTimezoneOffset() * 60000);
    },
    scales: {
      x: { time: true, range: () => range() },
      left: { range: scaleRange(spec, "left") },
      right: { range: scaleRange(spec, "right") },
    },
    bands,
    axes: [
      {
        stroke: css("--muted"),
        font: css("--chart-font"),
        grid: { show: false },
        ticks: { show: true, stroke: css("--line"), size: 4 },
        space: 64,
        size: 37,
        gap: 3,
        values: timeTicks(zone),
      },
      ...sides.map((side) => axisOf(side, side)),
    ],
    series: [
      {},
      ...rows.map((row, index) => ({
        scale: row.axis,
        stroke: colorOf(row),
        width: 1.5,
        fill: spec.stacked ? faded(colorOf(row), 0.35) : undefined,
        points: {
          show: () => false,
          size: 4,
          fill: colorOf(row),
          filter: () => (dots[index].length ? dots[index] : null),
        },
      })),
    ],
    cursor: {
      lock: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 6, width: 1.5 },
      sync: spec.own ? undefined : { key: "page", setSeries: false, scales: ["x", null] },
      focus: { prox: 16 },
    },
    focus: { alpha: 0.35 },
    hooks: {
      drawClear: [(u) => shadeAnnotations(u, spec)],
      draw: [(u) => drawAnnotations(u, spec, sides)],
      setCursor: [(u) => showTip(u, tip, rows, spec, hidden)],
      setSelect: [
        (u) => {
          if (u.select.width < 4) return;
          const from = u.posToVal(u.select.left, "x");
          const to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          view.show([Math.floor(from / 60) * 60, Math.ceil(to / 60) * 60]);
        },
      ],
    },
  };
  const u = new uPlot(options, data, plot);
  plot.append(tip, bare);
  u.over.addEventListener("dblclick", () => view.reset());
  u.over.addEventListener("mouseleave", () => (tip.hidden = true));
  plot.addEventListener("keydown", (event) => moveByKey(event, u, view, range, rows, spec, tip));
  plot.addEventListener("blur", () => (tip.hidden = true));

  const size = () => {
    const box = plot.getBoundingClientRect();
    if (box.width < 20 || box.height < 20) return;
    u.setSize({ width: Math.floor(box.width), height: Math.floor(box.height) });
    placeStrips();
  };
  const placeStrips = () => fillStrips(strips, spec, u, range(), zone);
  const entries = rows.map((row, index) => {
    const name = make("span", { class: "words" });
    const entry = make(
      "button",
      {
        type: "button",
        "aria-pressed": "true",
        onclick: () => {
          if (hidden.has(index)) hidden.delete(index);
          else hidden.add(index);
          entry.setAttribute("aria-pressed", String(!hidden.has(index)));
          if (spec.stacked) {
            data = alignedData(rows, spec, hidden);
            u.setData(data, false);
          }
          u.setSeries(index + 1, { show: !hidden.has(index) });
          u.setScale("x", { min: range()[0], max: range()[1] });
        },
        onpointerenter: () => u.setSeries(index + 1, { focus: true }),
        onpointerleave: () => u.setSeries(null, { focus: true }),
      },
      make("i", {}),
      name,
    );
    entry.firstChild.style.background = colorOf(row);
    return { entry, name, row };
  });
  if (spec.legend !== "hidden") legend.append(...entries.map(({ entry }) => entry));
  const words = () => {
    for (const { entry, name, row } of entries) {
      name.textContent = labelText(row, range(), zone);
      entry.title = `${name.textContent}\n${lengthText(row.p)} per point`;
    }
    plot.setAttribute("aria-label", describe(spec, rows, range()));
    bare.hidden = rows.some((row) => summaryOf(row, range()).count);
  };
  words();
  const observer = new ResizeObserver(size);
  observer.observe(plot);
  size();
  return {
    update() {
      words();
      u.setScale("x", { min: range()[0], max: range()[1] });
      placeStrips();
    },
    destroy() {
      observer.disconnect();
      u.destroy();
    },
  };
}

function describe(spec, rows, range) {
  const told = rows.slice(0, 5).map((row) => {
    const s = summaryOf(row, range);
    const unit = unitOf(row, spec);
    return s.count
      ? `${labelText(row, range, spec.zone)}: from ${shortNumber(s.min)} to ${shortNumber(s.max)}, last ${withUnit(shortNumber(s.last), unit)}`
      : `${labelText(row, range, spec.zone)}: no data`;
  });
  const more = rows.length > 5 ? `, and ${rows.length - 5} more` : "";
  return `${spec.title || "Graph"}. ${told.join(". ")}${more}. Arrow keys read values, plus and minus zoom, Escape resets.`;
}

function tipRows(rows, spec, hidden, second) {
  return rows
    .filter((row) => !hidden.has(row.index))
    .map((row) => ({ row, value: valueAt(row, second), text: withUnit(longNumber(valueAt(row, second), spec.full), unitOf(row, spec)) }))
    .filter(({ value }) => value === value);
}

function showTip(u, tip, rows, spec, hidden) {
  const { left, idx } = u.cursor;
  const mine = u.cursor.event ? u.over.contains(u.cursor.event.target) || u.cursor.event.target === u.over : u.byKey;
  if (idx === null || idx === undefined || left < 0 || !mine) {
    tip.hidden = true;
    return;
  }
  const second = u.data[0][idx];
  const range = [u.scales.x.min, u.scales.x.max];
  const found = tipRows(rows, spec, hidden, second);
  found.sort((a, b) => b.value - a.value);
  const shown = found.slice(0, 12);
  tip.replaceChildren(
    make("div", { class: "when" }, `${timeText(second, spec.zone)} ${zoneName(spec.zone)}`),
    ...shown.map(({ row, text }) => {
      const swatch = make("i", {});
      swatch.style.background = colorOf(row);
      return make("div", { class: "line" }, swatch, make("span", { class: "words" }, labelText(row, range, spec.zone)), make("b", {}, text));
    }),
    found.length > shown.length ? make("div", { class: "when" }, `and ${found.length - shown.length} more`) : "",
    found.length ? "" : make("div", { class: "when" }, "no data point"),
  );
  tip.hidden = false;
  const box = u.over.getBoundingClientRect();
  const home = tip.parentElement.getBoundingClientRect();
  const x = box.left - home.left + left;
  const right = x + 14 + tip.offsetWidth > home.width;
  tip.style.left = `${Math.max(0, right ? x - 14 - tip.offsetWidth : x + 14)}px`;
  tip.style.top = "4px";
}

function moveByKey(event, u, view, range, rows, spec, tip) {
  const times = u.data[0];
  const [from, to] = range();
  const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
  if (step !== undefined || event.key === "Home" || event.key === "End") {
    const first = Math.max(0, times.findIndex((time) => time >= from));
    let last = times.length - 1;
    while (last > first && times[last] >= to) last--;
    let at = u.cursor.idx ?? (step < 0 ? last + 1 : first - 1);
    at = event.key === "Home" ? first : event.key === "End" ? last : at + step;
    at = Math.min(last, Math.max(first, at));
    u.byKey = true;
    u.cursor.event = null;
    u.setCursor({ left: u.valToPos(times[at], "x"), top: 10 });
    const told = tipRows(rows, spec, new Set(), times[at]).slice(0, 8);
    const words = told.map(({ row, text }) => `${labelText(row, range(), spec.zone)} ${text}`);
    document.getElementById("live").textContent = `${timeText(times[at], spec.zone)}: ${words.join(", ") || "no data point"}`;
  } else if (event.key === "+" || event.key === "-") {
    const middle = u.cursor.idx === null || u.cursor.idx === undefined ? (from + to) / 2 : times[u.cursor.idx];
    const half = ((to - from) / 2) * (event.key === "+" ? 0.5 : 2);
    view.show([Math.floor((middle - half) / 60) * 60, Math.ceil((middle + half) / 60) * 60]);
  } else if (event.key === "Escape") {
    tip.hidden = true;
    view.reset();
  } else {
    return;
  }
  event.preventDefault();
}
