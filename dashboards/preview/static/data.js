// The data of the page: packed series are unpacked when a widget is drawn for the first time.

const page = JSON.parse(document.getElementById("data").textContent);
const chunks = new Map();
const unpacked = new Map();

function chunkBytes(number) {
  if (!chunks.has(number)) chunks.set(number, inflate(document.getElementById(`c${number}`).textContent));
  return chunks.get(number);
}

async function inflate(text) {
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const raw = atob(text);
    bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Bytes of equal significance stand together (dashboards/preview/encoding.py): put them back beside each other.
async function valuesOf(at) {
  const key = `${at.c}:${at.o}:${at.w}`;
  if (!unpacked.has(key)) {
    const bytes = await chunkBytes(at.c);
    const mixed = new Uint8Array(at.n * at.w);
    for (let byte = 0; byte < at.w; byte++) {
      const from = at.o + byte * at.n;
      for (let i = 0; i < at.n; i++) mixed[i * at.w + byte] = bytes[from + i];
    }
    unpacked.set(key, at.w === 8 ? new Float64Array(mixed.buffer) : new Float32Array(mixed.buffer));
  }
  return unpacked.get(key);
}

// A row with its numbers: `t` start of the first slot, `p` seconds of a slot, `v` values with NaN for gaps.
async function loadRows(spec) {
  return Promise.all(
    spec.rows.map(async (row, index) => ({ ...row, index, t: row.at.t, p: row.at.p, v: await valuesOf(row.at) })),
  );
}

// Indexes of the slots of a row that a range touches, [first, behind the last].
function slotsIn(row, range) {
  const first = Math.max(0, Math.floor((range[0] - row.t) / row.p));
  const last = Math.min(row.v.length, Math.ceil((range[1] - row.t) / row.p));
  return [first, Math.max(first, last)];
}

function summaryOf(row, range) {
  const [from, to] = slotsIn(row, range);
  const out = { count: 0, sum: 0, min: NaN, max: NaN, first: NaN, last: NaN, firstAt: 0, lastAt: 0, minAt: 0, maxAt: 0 };
  for (let i = from; i < to; i++) {
    const value = row.v[i];
    if (value !== value) continue;
    const at = row.t + i * row.p;
    if (!out.count) [out.first, out.firstAt] = [value, at];
    if (!(value >= out.min)) [out.min, out.minAt] = [value, at];
    if (!(value <= out.max)) [out.max, out.maxAt] = [value, at];
    [out.last, out.lastAt] = [value, at];
    out.sum += value;
    out.count++;
  }
  out.avg = out.count ? out.sum / out.count : NaN;
  if (!out.count) out.sum = NaN;
  return out;
}

function valueAt(row, second) {
  const slot = Math.floor((second - row.t) / row.p);
  return slot >= 0 && slot < row.v.length ? row.v[slot] : NaN;
}
