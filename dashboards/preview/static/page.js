// The page: one time range and one choice of variables for all widgets, drawn when they come into sight.

const PRESETS = [["1h", 3600], ["3h", 10800], ["12h", 43200], ["1d", 86400], ["3d", 259200], ["1w", 604800]];
const ROW_PX = 44;
const view = {
  range: [...page.shown],
  preset: null,
  zoomed: false,
  reading: false,
  choice: page.controls.map((control) => control.chosen),
  show(range, preset = null) {
    const [first, last] = page.data;
    const length = Math.min(last - first, Math.max(60, range[1] - range[0]));
    const from = Math.min(Math.max(first, range[0]), last - length);
    view.range = [from, from + length];
    view.preset = preset;
    view.zoomed = true;
    redrawAll();
  },
  reset() {
    view.range = [...page.shown];
    view.zoomed = false;
    view.preset = presetOf(view.range);
    redrawAll();
  },
};
view.preset = presetOf(view.range);

function presetOf(range) {
  if (range[0] === page.data[0] && range[1] === page.data[1]) return "all";
  const found = range[1] === page.data[1] ? PRESETS.find(([, length]) => length === range[1] - range[0]) : null;
  return found ? found[0] : null;
}

// Which of the prepared specs of a widget is chosen: the last variable changes fastest.
function chosenSpec(widget) {
  if (widget.specs.length === 1) return page.specs[widget.specs[0]];
  let place = 0;
  page.controls.forEach((control, index) => (place = place * control.options.length + view.choice[index]));
  return page.specs[widget.specs[place]];
}

class Box {
  constructor(widget, host) {
    this.widget = widget;
    this.host = host;
    this.reading = false;
    this.drawn = null;
    this.seen = false;
    this.turn = 0;
    this.frame();
  }

  get spec() {
    return chosenSpec(this.widget);
  }

  frame() {
    const spec = this.spec;
    const graph = spec.kind === "metric" && !spec.why && spec.view !== "table" && spec.rows.length > 0;
    this.host.className = `widget is-${spec.kind} as-${spec.view || spec.kind}${spec.clear ? " clear" : ""}${this.reading ? " reading" : ""}`;
    const notes = (spec.notes || []).filter(Boolean);
    const title = make("h3", { title: spec.title || "" }, spec.title || "");
    const tools = make("div", { class: "box-tools" });
    if (notes.length) tools.append(make("span", { class: "remark", tabindex: "0", role: "note", title: notes.join("\n"), "aria-label": notes.join(" ") }, "!"));
    if (graph) {
      const label = this.reading ? "Show the graph" : "Show the values as a table";
      tools.append(make("button", { type: "button", class: "as-table", "aria-pressed": String(this.reading), "aria-label": `${label}: ${spec.title || "widget"}`, title: label, onclick: () => this.toggle() }, this.reading ? "◱" : "▤"));
    }
    this.inside = make("div", { class: "inside" });
    this.host.replaceChildren(...(spec.kind === "text" ? [] : [make("div", { class: "box-head" }, title, tools)]), this.inside);
    this.host.setAttribute("aria-label", spec.title || (spec.kind === "text" ? "Text" : "Widget"));
  }

  toggle() {
    this.reading = !this.reading;
    this.redraw();
    this.host.querySelector(".as-table")?.focus();
  }

  async draw() {
    this.seen = true;
    const turn = ++this.turn;
    const own = Object.create(view, { reading: { value: this.reading } });
    const inside = this.inside;
    try {
      const drawn = await drawInside(inside, this.spec, own);
      if (turn !== this.turn) drawn?.destroy?.();
      else this.drawn = drawn;
    } catch (error) {
      inside.replaceChildren(make("div", { class: "placeholder" }, make("p", { class: "why" }, `This widget could not be drawn: ${error.message}`)));
      console.error(error);
    }
  }

  update() {
    if (this.seen) this.drawn?.update?.();
  }

  redraw() {
    this.drawn?.destroy?.();
    this.drawn = null;
    this.turn++;
    this.frame();
    return this.seen ? this.draw() : null;
  }
}

const boxes = [];
let timeline = null;

function redrawAll() {
  showTools();
  timeline?.update();
  for (const box of boxes) box.update();
  const [from, to] = view.range;
  document.getElementById("live").textContent = `Shown from ${timeText(from)} to ${timeText(to)}`;
}

function showTools() {
  if (!page.widgets.length) return;
  for (const button of document.querySelectorAll(".ranges button")) button.setAttribute("aria-pressed", String(button.dataset.range === view.preset));
  const form = document.querySelector(".custom");
  if (!form.contains(document.activeElement)) {
    form.elements.from.value = timeText(view.range[0]).replace(" ", "T");
    form.elements.to.value = timeText(view.range[1]).replace(" ", "T");
  }
}

function buildTools() {
  buildTheme();
  if (!page.widgets.length) return;
  const ranges = document.querySelector(".ranges");
  const [first, last] = page.data;
  for (const [name, length] of PRESETS) {
    if (length >= last - first) continue;
    ranges.append(make("button", { type: "button", "data-range": name, onclick: () => view.show([last - length, last], name) }, name));
  }
  ranges.append(make("button", { type: "button", "data-range": "all", onclick: () => view.show([first, last], "all") }, "All"));
  const form = document.querySelector(".custom");
  const limit = (second) => timeText(second).replace(" ", "T");
  for (const field of [form.elements.from, form.elements.to]) {
    field.min = limit(first);
    field.max = limit(last);
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const second = (field) => Date.parse(`${field.value}Z`) / 1000;
    const [from, to] = [second(form.elements.from), second(form.elements.to)];
    if (to > from) view.show([from, to]);
  });
}

function buildTheme() {
  const theme = document.querySelector(".theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const wanted = /(?:^#|&)theme=(dark|light)/.exec(location.hash)?.[1];
  const set = (name) => {
    document.documentElement.dataset.theme = name;
    theme.setAttribute("aria-pressed", String(name === "dark"));
    theme.textContent = name === "dark" ? "Light" : "Dark";
    theme.setAttribute("aria-label", `Switch to ${name === "dark" ? "light" : "dark"} colours`);
    for (const box of boxes) box.redraw();
  };
  set(wanted || (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", () => set(dark.matches ? "dark" : "light"));
  theme.addEventListener("click", () => set(isDark() ? "light" : "dark"));
}

function buildControls() {
  const host = document.querySelector(".controls");
  const shown = page.controls.filter((control) => !control.hidden);
  host.hidden = !shown.length;
  const choose = (index, option) => {
    view.choice[index] = option;
    for (const box of boxes) if (box.widget.specs.length > 1) box.redraw();
  };
  page.controls.forEach((control, index) => {
    if (control.hidden) return;
    if (control.input === "radio") {
      host.append(
        make(
          "fieldset",
          {},
          make("legend", {}, control.label),
          ...control.options.map(([, words], option) => make("label", {}, make("input", { type: "radio", name: `v${index}`, checked: option === control.chosen, onchange: () => choose(index, option) }), words)),
        ),
      );
    } else if (control.input === "select") {
      const select = make("select", { onchange: () => choose(index, select.selectedIndex) }, ...control.options.map(([, words], option) => make("option", { selected: option === control.chosen }, words)));
      host.append(make("label", {}, make("span", {}, control.label), select));
    } else {
      const told = make("small", { role: "status" });
      const input = make("input", {
        value: control.options[control.chosen][0],
        list: `l${index}`,
        onchange: () => {
          const option = control.options.findIndex(([value]) => value === input.value);
          told.textContent = option < 0 ? "not prepared in this preview" : "";
          if (option >= 0) choose(index, option);
        },
      });
      host.append(make("label", {}, make("span", {}, control.label), input, make("datalist", { id: `l${index}` }, ...control.options.map(([value]) => make("option", { value }))), told));
    }
  });
}

function buildBoxes() {
  const grid = document.getElementById("grid");
  page.widgets.forEach((widget, index) => {
    let host = document.querySelector(`[data-w="${index}"]`);
    if (!host) {
      host = make("section", { "data-w": index });
      grid.append(host);
    }
    if (widget.box) {
      const [x, y, width, height] = widget.box;
      host.style.gridArea = `${y + 1} / ${x + 1} / span ${height} / span ${width}`;
      host.style.setProperty("--rows", height);
    }
    boxes.push(new Box(widget, host));
  });
}

async function start() {
  if (!page.widgets.length) document.querySelector(".tools").querySelectorAll(":scope > :not(.theme)").forEach((tool) => tool.remove());
  buildTools();
  buildControls();
  buildBoxes();
  timeline = drawTimeline(document.querySelector(".timeline"), view);
  showTools();
  const whole = /(?:^#|&)whole/.test(location.hash);
  if (whole) {
    await Promise.all(boxes.map((box) => box.draw()));
  } else {
    const first = boxes.filter((box) => {
      const place = box.host.getBoundingClientRect();
      return place.top < innerHeight && place.bottom > 0;
    });
    await Promise.all(first.map((box) => box.draw()));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (!entry.isIntersecting) continue;
          observer.unobserve(entry.target);
          boxes[entry.target.dataset.w].draw();
        }
      },
      { rootMargin: "600px 0px" },
    );
    for (const box of boxes) if (!box.seen) observer.observe(box.host);
  }
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
