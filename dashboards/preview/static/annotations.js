// Horizontal and vertical annotations: lines, bands and fills on the canvas of a graph.

const lineColor = (line) => seen(line.color || "#7a4fa3");

// The colour of a line as words in it are written: a third towards that of text, so that a pale line has a readable label.
function wordColor(line) {
  const ink = channels(css("--ink"));
  return `rgb(${lineColor(line).match(/\d+/g).map((one, i) => Math.round(+one + (ink[i] - one) / 3)).join(" ")})`;
}

function shadeAnnotations(u, spec) {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  for (const line of spec.lines) {
    if (u.scales[line.axis].min === null || u.scales[line.axis].min === undefined) continue;
    const y = u.valToPos(line.v, line.axis, true);
    ctx.fillStyle = faded(lineColor(line), 0.1);
    if (line.v2 !== undefined) {
      const y2 = u.valToPos(line.v2, line.axis, true);
      ctx.fillRect(left, Math.min(y, y2), width, Math.abs(y2 - y));
    } else if (line.fill === "above") ctx.fillRect(left, top, width, y - top);
    else if (line.fill === "below") ctx.fillRect(left, y, width, top + height - y);
  }
  for (const time of spec.times) {
    const x = u.valToPos(time.t, "x", true);
    ctx.fillStyle = faded(lineColor(time), 0.1);
    if (time.t2 !== undefined) {
      const x2 = u.valToPos(time.t2, "x", true);
      ctx.fillRect(Math.min(x, x2), top, Math.abs(x2 - x), height);
    } else if (time.fill === "before") ctx.fillRect(left, top, x - left, height);
    else if (time.fill === "after") ctx.fillRect(x, top, left + width - x, height);
  }
  ctx.restore();
}

function fitted(ctx, text, room) {
  if (ctx.measureText(text).width <= room) return text;
  let end = text.length;
  while (end > 1 && ctx.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}

// Where a label may stand: above its line at the right, the left or the middle, then further up, then below. The first place wins that
// covers no other label and no other line; where none does, the one that covers least.
function placeLabel(label, taken, lines, plot) {
  const { width: w, height: h } = label;
  const places = [];
  if (label.x === undefined) {
    const columns = [plot.right - w - plot.gap, plot.left + plot.gap, (plot.left + plot.right - w) / 2];
    const rows = [label.y - h - plot.gap, label.y + plot.gap];
    for (let step = 1; step <= 3; step++) rows.push(label.y - h - plot.gap - step * (h + 1), label.y + plot.gap + step * (h + 1));
    for (const y of rows) for (const x of columns) places.push([x, y]);
  } else {
    const sides = label.x > plot.left + (plot.right - plot.left) * 0.6 ? [label.x - w - plot.gap, label.x + plot.gap] : [label.x + plot.gap, label.x - w - plot.gap];
    for (let y = plot.top + plot.gap; y + h <= plot.bottom; y += h + 1) for (const x of sides) places.push([x, y]);
  }
  const cost = ([x, y], order) => {
    const outside = Math.max(0, plot.left - x, x + w - plot.right) + Math.max(0, plot.top - y, y + h - plot.bottom);
    const covered = taken.reduce((sum, other) => {
      const across = Math.min(x + w, other.x + other.width) - Math.max(x, other.x);
      const down = Math.min(y + h, other.y + other.height) - Math.max(y, other.y);
      return sum + (across > 0 && down > 0 ? across * down : 0);
    }, 0);
    const struck = lines.filter((line) => line > y - 1 && line < y + h + 1).length;
    return outside * 1e6 + covered * 1e3 + struck * 100 + order;
  };
  let best = null;
  places.forEach((place, order) => {
    const found = cost(place, order);
    if (!best || found < best.cost) best = { cost: found, place };
  });
  if (!best) return null;
  return { x: Math.max(plot.left, Math.min(best.place[0], plot.right - w)), y: Math.max(plot.top, Math.min(best.place[1], plot.bottom - h)), width: w, height: h };
}

function drawAnnotations(u, spec) {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const ratio = devicePixelRatio || 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.lineWidth = ratio;
  ctx.font = `${10.5 * ratio}px ${css("--font")}`;
  const labels = [];
  const levels = [];
  const label = (text, color, at) => {
    if (!text) return;
    const words = fitted(ctx, text, Math.min(width * 0.9, width - 16 * ratio) * (at.x === undefined ? 1 : 0.5));
    labels.push({ words, color, width: ctx.measureText(words).width + 6 * ratio, height: 13 * ratio, ...at });
  };
  for (const line of spec.lines) {
    if (u.scales[line.axis].min === null || u.scales[line.axis].min === undefined) continue;
    const color = lineColor(line);
    ctx.strokeStyle = color;
    ctx.setLineDash([5 * ratio, 3 * ratio]);
    for (const [value, words] of [[line.v, line.label], [line.v2, line.label2]]) {
      if (value === undefined) continue;
      const y = Math.round(u.valToPos(value, line.axis, true)) + 0.5;
      if (y < top - 1 || y > top + height + 1) continue;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
      levels.push(y);
      label(words, wordColor(line), { y });
    }
  }
  for (const time of spec.times) {
    const color = lineColor(time);
    ctx.strokeStyle = color;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    for (const [second, words] of [[time.t, time.label], [time.t2, time.label2]]) {
      if (second === undefined) continue;
      const x = Math.round(u.valToPos(second, "x", true)) + 0.5;
      if (x < left || x > left + width) continue;
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      label(words, wordColor(time), { x });
    }
  }
  ctx.setLineDash([]);
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  const plot = { left, top, right: left + width, bottom: top + height, gap: 2 * ratio };
  const taken = [];
  for (const one of labels) {
    const box = placeLabel(one, taken, levels, plot);
    if (!box) continue;
    taken.push(box);
    ctx.globalAlpha = 0.88;
    ctx.fillStyle = css("--card");
    ctx.beginPath();
    ctx.roundRect(box.x, box.y, box.width, box.height, 2 * ratio);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.fillStyle = one.color;
    ctx.fillText(one.words, box.x + 3 * ratio, box.y + box.height / 2 + 0.5 * ratio);
  }
  ctx.restore();
  u.placed = { labels: taken.map((box, i) => ({ ...box, words: labels[i].words })), levels, plot };
  u.root.dataset.labels = JSON.stringify(u.placed);
}
