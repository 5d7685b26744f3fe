// Horizontal and vertical annotations: lines, bands and fills on the canvas of a graph.

const lineColor = (line) => seen(line.color || "#7a4fa3");

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

// Text with a halo, so that it can be read over lines.
function written(ctx, text, x, y) {
  ctx.save();
  ctx.setLineDash([]);
  ctx.strokeStyle = css("--card");
  ctx.lineWidth = 2.5 * (devicePixelRatio || 1);
  ctx.lineJoin = "round";
  ctx.strokeText(text, x, y);
  ctx.restore();
  ctx.fillText(text, x, y);
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
  const taken = [];
  const label = (text, y, color, below) => {
    if (!text) return;
    const line = 12 * ratio;
    let at = below || y - line - 5 * ratio < top ? y + line + 2 * ratio : y - 6 * ratio;
    const clash = taken.some((other) => Math.abs(other - at) < line);
    taken.push(at);
    ctx.fillStyle = color;
    ctx.textAlign = clash ? "left" : "right";
    written(ctx, fitted(ctx, text, width * (clash ? 0.45 : 0.9)), clash ? left + 4 * ratio : left + width - 4 * ratio, at);
  };
  for (const line of spec.lines) {
    if (u.scales[line.axis].min === null || u.scales[line.axis].min === undefined) continue;
    const color = lineColor(line);
    ctx.strokeStyle = color;
    ctx.setLineDash([5 * ratio, 3 * ratio]);
    for (const [value, words] of [[line.v, line.label], [line.v2, line.label2]]) {
      if (value === undefined) continue;
      const y = Math.round(u.valToPos(value, line.axis, true)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
      label(words, y, color, false);
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
      const flip = x > left + width * 0.6;
      ctx.fillStyle = color;
      ctx.textAlign = flip ? "right" : "left";
      if (words) written(ctx, fitted(ctx, words, width * 0.4), x + (flip ? -4 : 4) * ratio, top + 12 * ratio);
    }
  }
  ctx.restore();
}
