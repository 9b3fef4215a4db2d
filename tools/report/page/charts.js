// Two charts of rows on one time axis, each with dashed lines for the bounds: `phases`, where a row is a
// schedule and a segment is what one phase adds to its time; and `ranges`, where a row is a method, its dot the
// median of what was measured, its line the spread, and its diamond what was predicted.

const rowFrame = { bottom: 28, right: 26, height: 23 };

// Below the names of the bounds, of which each has a line.
function rowsTop(section) {
  return 26 + boundHeight * Math.max(0, section.bounds.length - 1);
}

function rowLeft(context, section, width) {
  const longest = Math.max(...section.rows.map((row) => context.measureText(row.name).width), 0);
  return Math.min(190, 0.42 * width, 12 + longest);
}

// Names, axis and bounds; calls back for each row with the middle of its height. `section.least`, when there is one, is
// where a logarithmic axis begins.
function drawRows(context, section, state, width, drawRow) {
  const top = rowsTop(section), bottom = top + section.rows.length * rowFrame.height;
  const { least, seconds: most } = section;
  state.left = rowLeft(context, section, width);
  state.right = width - rowFrame.right - (state.room || 0);
  const share = (time) => (least ? Math.log(Math.max(time, least) / least) / Math.log(most / least) :
    most > 0 ? time / most : 0);
  state.at = (time) => state.left + share(time) * (state.right - state.left);
  (least ? logAxis : timeAxis)(context, least || 0, most, state.at, state.left, state.right, top, bottom);
  section.rows.forEach((row, i) => {
    const middle = top + (i + 0.5) * rowFrame.height;
    context.save();
    context.beginPath();
    context.rect(0, middle - rowFrame.height / 2, state.left - 6, rowFrame.height);
    context.clip();
    writeText(context, row.name, state.left - 8, middle + 4, "right", theme.ink);
    context.restore();
    drawRow(row, middle, i);
  });
  boundLines(context, section.bounds, state.at, state.left, state.right, top, bottom);
}

function findRow(section, y) {
  const row = Math.floor((y - rowsTop(section)) / rowFrame.height);
  return row >= 0 && row < section.rows.length ? row : null;
}

function rowsHeight(section) {
  return rowsTop(section) + section.rows.length * rowFrame.height + rowFrame.bottom;
}

function ratioText(value, bound, name) {
  return bound > 0 ? (value / bound).toFixed(2) + " \u00d7 " + (name || "bound") : "";
}

// ---- phases against the bound ----------------------------------------------------------------------------

// An item is [row, segment].
function tellPhase(row, k) {
  const first = row.first[k], last = row.first[k + 1] - 1, begin = k > 0 ? row.end[k - 1] : 0;
  const name = last > first ? "phases " + (first + 1) + " to " + (last + 1) : "phase " + (first + 1);
  return [row.name + ": " + name + " of " + count(row.phases),
    "adds " + seconds((row.end[k] - begin) * row.unit) + ", done at " + seconds(row.end[k] * row.unit),
    count(row.transfers[k]) + (row.transfers[k] === 1 ? " transfer, " : " transfers, ") + bytes(row.bytes[k]),
    "the whole: " + seconds(row.seconds) +
      (row.bound > 0 ? ", " + ratioText(row.seconds, row.bound, row.against) : "")];
}

function drawPhases(section) {
  const made = openSection(section, section.text), state = { room: 92 }, top = rowsTop(section);
  const beside = section.rows.some((row) => row.against) ? 138 : 92;
  const box = (row, k, i) => {
    const left = state.at((k > 0 ? row.end[k - 1] : 0) * row.unit), right = state.at(row.end[k] * row.unit);
    return [left, top + i * rowFrame.height + 4, right - left, rowFrame.height - 8];
  };
  addPlot(made, {
    label: section.heading,
    height: () => rowsHeight(section),
    draw(context, width) {
      state.room = width < 520 ? 0 : beside;
      drawRows(context, section, state, width, (row, _middle, i) => {
        row.end.forEach((_, k) => {
          const [left, top, wide, high] = box(row, k, i);
          context.fillStyle = ramp(row.phases > 1 ? 0.12 + 0.88 * row.first[k] / (row.phases - 1) : 0.6);
          context.fillRect(left, top, Math.max(wide - (wide > 3 ? 1 : 0), 0.3), high);
        });
      });
      section.rows.forEach((row, i) => {
        const text = state.room ? ratioText(row.seconds, row.bound, row.against) : "";
        writeAbove(context, text, state.at(row.seconds) + 7, top + (i + 0.5) * rowFrame.height + 4);
      });
    },
    find(x, y) {
      const i = findRow(section, y);
      if (i === null) return null;
      const row = section.rows[i];
      for (let k = 0; k < row.end.length; k++) {
        const [left, , wide] = box(row, k, i);
        if (x >= left && x < left + Math.max(wide, 1)) return i * 65536 + k;
      }
      return null;
    },
    tell: (item) => tellPhase(section.rows[item >> 16], item & 65535),
    mark(context, item) {
      const [left, top, wide, high] = box(section.rows[item >> 16], item & 65535, item >> 16);
      context.strokeStyle = theme.mark;
      context.lineWidth = 1.5;
      context.strokeRect(left - 0.5, top - 1, Math.max(wide, 1), high + 2);
    },
    place(item) {
      const [left, top, wide] = box(section.rows[item >> 16], item & 65535, item >> 16);
      return [left + wide / 2, top];
    },
    step(item, key) {
      if (item === null) return section.rows.length && section.rows[0].end.length ? 0 : null;
      const i = (item >> 16) + (key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0);
      const k = (item & 65535) + (key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0);
      if (i < 0 || i >= section.rows.length || k < 0 || !section.rows[i].end.length) return null;
      return i * 65536 + Math.min(k, section.rows[i].end.length - 1);
    },
  });
  const legend = element("span", { class: "group" }, "first phase", rampKey(0.12, 1), "last");
  made.append(element("div", { class: "tools" }, legend));
  return made;
}

// ---- predicted against measured --------------------------------------------------------------------------

function diamond(context, x, y, size) {
  context.beginPath();
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

function drawRange(context, state, row, middle) {
  const strong = ramp(0.75);
  context.fillStyle = theme.bar;
  context.fillRect(state.at(row.low), middle - 2, Math.max(state.at(row.high) - state.at(row.low), 1), 4);
  context.fillStyle = strong;
  context.beginPath();
  context.arc(state.at(row.middle), middle, 5, 0, 2 * Math.PI);
  context.fill();
  if (row.predicted === null) return;
  diamond(context, state.at(row.predicted), middle, 6);
  context.fillStyle = theme.paper;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
  context.lineWidth = 1;
}

function tellRange(section, row) {
  const spread = seconds(row.low) + " to " + seconds(row.high);
  const lines = [row.name, "median " + seconds(row.middle) + ", " + spread];
  if (section.bounds.length) lines.push(ratioText(row.middle, section.bounds[0].seconds));
  if (row.predicted !== null)
    lines.push("predicted " + seconds(row.predicted) +
      (row.predicted > 0 ? "; measured is " + (row.middle / row.predicted).toFixed(2) + " times that" : ""));
  return lines;
}

function rangeKey(predicted) {
  const sample = (width, draw) => {
    const scale = devicePixelRatio || 1;
    const canvas = element("canvas", { class: "sample", width: width * scale, height: 14 * scale });
    canvas.style.cssText = "width:" + width + "px;height:14px;vertical-align:-3px";
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    draw(context, { at: (share) => 3 + share * (width - 6) });
    return canvas;
  };
  const example = { low: 0, high: 1, middle: 0.5, predicted: null };
  const range = sample(44, (context, state) => drawRange(context, state, example, 7));
  const made = element("div", { class: "tools" },
    element("span", {}, range, "median, and from the fastest to the slowest"));
  if (predicted)
    made.append(element("span", {}, sample(16, (context) => {
      diamond(context, 8, 7, 6);
      context.strokeStyle = theme.ink;
      context.lineWidth = 1.5;
      context.stroke();
    }), "predicted"));
  return made;
}

// Where the slowest takes many times as long as the fastest, an even axis would show the slowest alone.
function findLeast(section) {
  const times = section.rows.flatMap((row) => [row.low, row.predicted]).concat(section.bounds.map((one) => one.seconds));
  const least = Math.min(...times.filter((time) => time > 0));
  return section.seconds > 20 * least ? 0.8 * least : 0;
}

function drawRanges(section) {
  section.least = findLeast(section);
  const axis = section.least ? " The axis is logarithmic: each decade has the same width." : "";
  const made = openSection(section, section.text + axis), state = {}, top = rowsTop(section);
  addPlot(made, {
    label: section.heading,
    height: () => rowsHeight(section),
    draw(context, width) {
      drawRows(context, section, state, width, (row, middle) => drawRange(context, state, row, middle));
    },
    find: (x, y) => (x > 0 ? findRow(section, y) : null),
    tell: (item) => tellRange(section, section.rows[item]),
    mark(context, item) {
      context.fillStyle = theme.mark;
      context.globalAlpha = 0.1;
      context.fillRect(0, top + item * rowFrame.height, state.right + rowFrame.right, rowFrame.height);
      context.globalAlpha = 1;
    },
    place: (item) => [state.at(section.rows[item].middle), top + (item + 0.5) * rowFrame.height],
    step: (item, key) => {
      const next = item === null ? 0 : item + (key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0);
      return next >= 0 && next < section.rows.length ? next : null;
    },
  });
  made.append(rangeKey(section.rows.some((row) => row.predicted !== null)));
  return made;
}
