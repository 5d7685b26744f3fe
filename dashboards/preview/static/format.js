// How numbers, times and labels read.

const STEPS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function plainNumber(value, digits) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(Math.max(0, digits - 1));
  const decimals = Math.max(0, Math.min(10, digits - 1 - Math.floor(Math.log10(size))));
  return Number(value.toFixed(decimals)).toLocaleString("en-US", { maximumFractionDigits: decimals });
}

// Three digits and a suffix, for axes and big numbers.
function shortNumber(value, digits = 3) {
  if (value !== value || value === null) return "–";
  const step = STEPS.find(([size]) => Math.abs(value) >= size);
  return step ? plainNumber(value / step[0], digits) + step[1] : plainNumber(value, digits);
}

// Everything that is worth reading, for hovering and tables.
function longNumber(value, full) {
  if (value !== value || value === null) return "–";
  return plainNumber(value, full ? 15 : Math.abs(value) >= 1e5 ? Math.floor(Math.log10(Math.abs(value))) + 1 : 5);
}

function withUnit(text, unit) {
  if (!unit || text === "–") return text;
  return unit.startsWith("%") ? `${text} ${unit}` : `${text} ${unit}`;
}

const two = (number) => String(number).padStart(2, "0");

function timeParts(second, zone) {
  const date = new Date((second + zone * 60) * 1000);
  return {
    day: `${date.getUTCFullYear()}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`,
    short: `${two(date.getUTCMonth() + 1)}/${two(date.getUTCDate())}`,
    clock: `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`,
    seconds: date.getUTCSeconds(),
  };
}

function zoneName(zone) {
  if (!zone) return "UTC";
  const size = Math.abs(zone);
  return `UTC${zone < 0 ? "−" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function timeText(second, zone = 0) {
  const parts = timeParts(second, zone);
  return `${parts.day} ${parts.clock}`;
}

// A clock, with the day where it is another than that of a moment beside it.
function clockText(second, beside) {
  const [parts, other] = [timeParts(second, 0), timeParts(beside, 0)];
  return parts.day === other.day ? parts.clock : `${parts.short} ${parts.clock}`;
}

const counted = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`;

function lengthText(seconds) {
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor((seconds % 86400) / 3600);
  const minutes = Math.round((seconds % 3600) / 60);
  return [days && `${days} d`, hours && `${hours} h`, (minutes || (!days && !hours)) && `${minutes} min`].filter(Boolean).join(" ");
}

const ago = (second, range) => `${lengthText(Math.max(0, range[1] - second))} ago`;

// The names of "Using dynamic labels" that depend on the range.
const LABEL_STATS = {
  AVG: (s) => shortNumber(s.avg, 4),
  SUM: (s) => shortNumber(s.sum, 4),
  MIN: (s) => shortNumber(s.min, 4),
  MAX: (s) => shortNumber(s.max, 4),
  FIRST: (s) => shortNumber(s.first, 4),
  LAST: (s) => shortNumber(s.last, 4),
  DATAPOINT_COUNT: (s) => String(s.count),
  FIRST_LAST_RANGE: (s) => shortNumber(s.last - s.first, 4),
  MIN_MAX_RANGE: (s) => shortNumber(s.max - s.min, 4),
  FIRST_TIME: (s, r, z) => timeText(s.firstAt, z),
  LAST_TIME: (s, r, z) => timeText(s.lastAt, z),
  MIN_TIME: (s, r, z) => timeText(s.minAt, z),
  MAX_TIME: (s, r, z) => timeText(s.maxAt, z),
  FIRST_TIME_RELATIVE: (s, r) => ago(s.firstAt, r),
  LAST_TIME_RELATIVE: (s, r) => ago(s.lastAt, r),
  MIN_TIME_RELATIVE: (s, r) => ago(s.minAt, r),
  MAX_TIME_RELATIVE: (s, r) => ago(s.maxAt, r),
  FIRST_LAST_TIME_RANGE: (s) => lengthText(s.lastAt - s.firstAt),
  MIN_MAX_TIME_RANGE: (s) => lengthText(Math.abs(s.maxAt - s.minAt)),
};

function labelText(row, range, zone) {
  let summary = null;
  return row.label
    .map((part) => {
      if (typeof part === "string") return part;
      summary ??= summaryOf(row, range);
      return summary.count || part.stat === "DATAPOINT_COUNT" ? LABEL_STATS[part.stat](summary, range, zone) : "–";
    })
    .join("");
}

// Make an element: text is always text, never HTML.
function make(tag, attributes = {}, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// Colours: those of the body, else a palette that people with any usual colour vision can tell apart.
const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#882255", "#737373", "#44aa99", "#999933"];

const isDark = () => document.documentElement.dataset.theme === "dark";

function channels(color) {
  const hex = color.length === 4 ? color.replace(/#(.)(.)(.)/, "#$1$1$2$2$3$3") : color;
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// On a dark page a dark colour is mixed with white; the darkest becomes the lightest, so that shades of one hue stay apart.
function seen(color) {
  let rgb = channels(color);
  const bright = ([r, g, b]) => (0.299 * r + 0.587 * g + 0.114 * b) / 255;
  const own = bright(rgb);
  if (isDark() && own < 0.45) {
    const share = (0.45 + (0.45 - own) * 0.75 - own) / (1 - own);
    rgb = rgb.map((one) => one + (255 - one) * share);
  }
  return `rgb(${rgb.map(Math.round).join(" ")})`;
}

const colorOf = (row) => seen(row.color || PALETTE[row.index % PALETTE.length]);
const faded = (color, share) => color.replace(")", ` / ${share})`);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
