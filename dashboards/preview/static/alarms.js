// Alarm states over time: the timeline at the top, strips under graphs, and the alarm widget.

const STATE = { A: "ALARM", O: "OK", I: "INSUFFICIENT_DATA" };
const alarmByName = new Map(page.alarms.map((alarm) => [alarm.name, alarm]));

function stateAt(alarm, second) {
  let state = "I";
  for (const [at, letter] of alarm.runs) {
    if (at > second) break;
    state = letter;
  }
  return state;
}

function changedAt(alarm, second) {
  let at = alarm.runs[0][0];
  for (const [start] of alarm.runs) if (start <= second) at = start;
  return at;
}

function reasonAt(alarm, second) {
  const found = alarm.why.find(([at]) => at === second);
  return found ? found[1] : "";
}

function wentOff({ runs }, [from, to]) {
  return runs.some(([at, letter], i) => letter === "A" && at < to && (i + 1 < runs.length ? runs[i + 1][0] : page.data[1]) > from);
}

// Segments of one state within a range, as elements placed by percent.
function segments(alarm, range, zone) {
  const length = range[1] - range[0];
  return alarm.runs.flatMap(([from, letter], index) => {
    const until = index + 1 < alarm.runs.length ? alarm.runs[index + 1][0] : page.data[1];
    const start = Math.max(from, range[0]);
    const end = Math.min(until, range[1]);
    if (end <= start) return [];
    const reason = letter === "A" ? reasonAt(alarm, from) : "";
    const part = make("i", {
      class: `run ${STATE[letter]}`,
      title: `${alarm.name}\n${STATE[letter]} from ${timeText(from, zone)} to ${timeText(until, zone)} (${lengthText(until - from)})${reason ? `\n${reason}` : ""}`,
    });
    part.style.left = `${(100 * (start - range[0])) / length}%`;
    part.style.width = `max(${letter === "A" ? 2 : 0}px, ${(100 * (end - start)) / length}%)`;
    return [part];
  });
}

function marks(alarm, range, zone) {
  return alarm.sent
    .filter(([at]) => at >= range[0] && at <= range[1])
    .map(([at, letter, count]) => {
      const mark = make("i", { class: `sent ${STATE[letter]}`, title: `${timeText(at, zone)}: ${counted(count, "action")} for ${STATE[letter]}` });
      mark.style.left = `${(100 * (at - range[0])) / (range[1] - range[0])}%`;
      return mark;
    });
}

function spoken(alarm, range, zone) {
  const entered = alarm.runs.filter(([at, letter]) => letter === "A" && at >= range[0] && at < range[1]);
  if (!entered.length) return `${alarm.name}: ${STATE[stateAt(alarm, range[1])]}, no alarm in this range`;
  return `${alarm.name}: in ALARM from ${entered.map(([at]) => timeText(at, zone)).join(", ")}; now ${STATE[stateAt(alarm, range[1])]}`;
}

const MAX_STRIPS = 3;

function fillStrips(host, spec, u, range, zone) {
  const alarms = spec.alarms.map((name) => alarmByName.get(name)).filter(Boolean);
  if (!alarms.length) return;
  const left = u.over.offsetLeft;
  const width = u.over.offsetWidth;
  host.replaceChildren(
    ...alarms.slice(0, MAX_STRIPS).map((alarm) => {
      const bar = make("div", { class: "strip", role: "img", "aria-label": spoken(alarm, range, zone) }, ...segments(alarm, range, zone), ...marks(alarm, range, zone));
      bar.style.marginLeft = `${left}px`;
      bar.style.width = `${width}px`;
      return make("div", { class: "strip-line" }, bar);
    }),
    alarms.length > MAX_STRIPS ? make("div", { class: "more" }, `and ${counted(alarms.length - MAX_STRIPS, "more alarm")}`) : "",
  );
}

function looseStrips(spec, view) {
  const host = make("div", { class: "strips loose" });
  const update = () =>
    host.replaceChildren(
      ...spec.alarms.map((name) => alarmByName.get(name)).filter(Boolean).map((alarm) => make("div", { class: "strip", role: "img", "aria-label": spoken(alarm, view.range, 0) }, ...segments(alarm, view.range, 0), ...marks(alarm, view.range, 0))),
    );
  update();
  return { host, update };
}

const RANK = { page: 0, ticket: 1, note: 2, "": 3, symptom: 4 };

function shortName(alarm, prefix) {
  return alarm.name.startsWith(prefix) ? alarm.name.slice(prefix.length) : alarm.name;
}

function commonPrefix(names) {
  if (names.length < 2) return "";
  let end = 0;
  while (names.every((name) => name[end] !== undefined && name[end] === names[0][end])) end++;
  return names[0].slice(0, names[0].lastIndexOf("-", end - 1) + 1);
}

function drawTimeline(host, view) {
  const prefix = commonPrefix(page.alarms.map((alarm) => alarm.name));
  const calls = (alarm) => alarm.acts || ["page", "ticket", "note"].includes(alarm.kind);
  const sorted = [...page.alarms].sort((a, b) => (RANK[a.kind] ?? 3) - (RANK[b.kind] ?? 3));
  const line = (alarm) =>
    make(
      "div",
      { class: "lane" },
      make("div", { class: "who", title: `${alarm.name}\n${alarm.title}\n${alarm.what}` }, make("span", { class: "words" }, shortName(alarm, prefix)), alarm.kind && alarm.kind !== "symptom" ? make("em", { class: `kind ${alarm.kind}` }, alarm.kind) : ""),
      make("div", { class: "strip tall", role: "img", tabindex: "0", "aria-label": spoken(alarm, view.range, 0) }, ...segments(alarm, view.range, 0), ...marks(alarm, view.range, 0)),
    );
  const ruler = () => {
    const box = make("div", { class: "strip ruler", "aria-hidden": "true" });
    const length = view.range[1] - view.range[0];
    const step = [300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800].find((one) => length / one <= 9) || 604800;
    for (let at = Math.ceil(view.range[0] / step) * step; at < view.range[1]; at += step) {
      const parts = timeParts(at, 0);
      const tick = make("span", {}, step >= 86400 || parts.clock === "00:00" ? parts.short : parts.clock);
      tick.style.left = `${(100 * (at - view.range[0])) / length}%`;
      if (at - view.range[0] < length * 0.02) tick.className = "first";
      box.append(tick);
    }
    return make("div", { class: "lane" }, make("div", { class: "who" }), box);
  };
  const update = () => {
    const open = host.querySelector("details")?.open;
    const lines = sorted.filter((alarm) => wentOff(alarm, view.range));
    const main = lines.filter(calls);
    const rest = lines.filter((alarm) => !calls(alarm));
    const quiet = page.alarms.length - lines.length;
    const sent = page.alarms.flatMap((alarm) => alarm.sent.filter(([at, letter]) => letter === "A" && at >= view.range[0] && at < view.range[1]).map(([at]) => ({ at, alarm })));
    sent.sort((a, b) => a.at - b.at || (RANK[a.alarm.kind] ?? 3) - (RANK[b.alarm.kind] ?? 3));
    const first = sent.slice(0, 3).map(({ at, alarm }) => `${clockText(at, view.range[1] - view.range[0] > 86400 ? 0 : at)} ${shortName(alarm, prefix)}`);
    const hidden = page.alarms.reduce((sum, alarm) => sum + alarm.sent.filter(([, letter]) => letter === "A").length, 0) - sent.length;
    const here = sent.length ? `${counted(sent.length, "notification")}: ${first.join(", ")}${sent.length > 3 ? " ..." : ""}` : "";
    const told = hidden
      ? `${sent.length ? `${here}; ` : "none in this range; "}${hidden + sent.length} in the whole recording`
      : here || "nobody was notified";
    host.replaceChildren(
      make("div", { class: "lane head" }, make("h2", {}, "Alarms"), make("p", {}, told)),
      ...main.map(line),
      ...(main.length ? [ruler()] : []),
      rest.length
        ? make("details", { open: open ?? false }, make("summary", {}, `${counted(rest.length, "alarm")} without actions went off, ${quiet} stayed quiet`), ...rest.map(line))
        : make("p", { class: "quiet" }, `${counted(quiet, main.length ? "other alarm" : "alarm")} stayed quiet in this time`),
    );
  };
  if (!page.alarms.length) return null;
  host.hidden = false;
  update();
  return { update };
}

function drawAlarmGrid(host, spec, view) {
  if (spec.why) {
    host.append(make("div", { class: "placeholder" }, make("p", { class: "why" }, spec.why), make("ul", {}, ...spec.names.map((name) => make("li", {}, name)))));
    return null;
  }
  const box = make("div", { class: "alarm-grid", tabindex: "0" });
  host.append(box);
  const prefix = commonPrefix(spec.names);
  const update = () => {
    const now = view.range[1];
    let found = spec.names.map((name) => {
      const alarm = alarmByName.get(name);
      return { name, alarm, state: alarm ? stateAt(alarm, now) : null, at: alarm ? changedAt(alarm, now) : 0 };
    });
    if (spec.states.length) found = found.filter(({ state }) => state === null || spec.states.includes(STATE[state]));
    const order = { A: 0, I: 1, O: 2 };
    if (spec.sort === "default") found.sort((a, b) => (order[a.state] ?? 3) - (order[b.state] ?? 3));
    else found.sort((a, b) => b.at - a.at);
    box.replaceChildren(
      ...found.map(({ name, alarm, state, at }) =>
        make(
          "div",
          { class: `alarm-tile ${state ? STATE[state] : "unknown"}`, title: alarm ? `${name}\n${alarm.title}\n${alarm.what}` : `${name}\nThe input does not define this alarm.` },
          make("span", { class: "words" }, name.startsWith(prefix) ? name.slice(prefix.length) : name),
          make("small", {}, state ? `${{ A: "In alarm", O: "OK", I: "Insufficient data" }[state]}${alarm.runs.length > 1 && at > alarm.runs[0][0] ? ` since ${clockText(at, now)}` : ""}` : "not defined in the input"),
          alarm && wentOff(alarm, view.range) ? make("div", { class: "strip", "aria-hidden": "true" }, ...segments(alarm, view.range, 0)) : "",
        ),
      ),
      found.length ? "" : make("p", { class: "aside" }, `No alarm is in ${spec.states.join(" or ")}.`),
    );
  };
  update();
  return { update };
}
