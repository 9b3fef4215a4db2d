// What all kinds of sections share: elements, numbers for people, colours of the theme, the tooltip, and the
// canvas that a figure is drawn on.

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) made.append(child);
  return made;
}

// A text of many parts without blanks, as a pattern has, may go on in the next line after each of them.
function breakable(text) {
  return text.split(/(?<=[,:;/])/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

// A section with its heading and what one sees in it.
function openSection(section, caption, half) {
  return element("section", { class: section.kind + (half ? " half" : "") },
    section.heading ? element("h3", {}, breakable(section.heading)) : null,
    caption ? element("p", { class: "caption" }, caption) : null);
}

// ---- numbers ---------------------------------------------------------------------------------------------

const timeUnits = [["s", 1], ["ms", 1e-3], ["\u00b5s", 1e-6], ["ns", 1e-9]];

function timeUnit(seconds) {
  return timeUnits.find(([, size]) => Math.abs(seconds) >= size * 0.99995) || timeUnits[timeUnits.length - 1];
}

function count(number) {
  return Number.isInteger(number) ? number.toLocaleString("en-US") : String(Number(number.toPrecision(4)));
}

function seconds(value) {
  if (value === 0) return "0 s";
  const [name, size] = timeUnit(value);
  return Number((value / size).toPrecision(4)) + "\u00a0" + name;
}

function bytes(number) {
  return count(number) + (number === 1 ? " byte" : " bytes");
}

function ranksText(first, block, ranks) {
  const last = Math.min((first + 1) * block, ranks) - 1;
  return block === 1 ? "rank " + first : "ranks " + first * block + "\u2013" + last;
}

// The round step, 1, 2 or 5 times a power of ten, that cuts `whole` into at most `parts`.
function roundStep(whole, parts) {
  const power = Math.pow(10, Math.floor(Math.log10(whole / parts)));
  return power * [1, 2, 5, 10].find((digit) => whole / (digit * power) <= parts * (1 + 1e-9));
}

// ---- colours ---------------------------------------------------------------------------------------------

let theme = {};

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  theme = {};
  for (const name of ["paper", "ink", "soft", "line", "lane", "busy", "bar", "mark"])
    theme[name] = style.getPropertyValue("--" + name).trim();
  const stops = style.getPropertyValue("--ramp").split(",").map((text) => text.trim())
    .map((text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  theme.ramp = Array.from({ length: 256 }, (_, i) => {
    const place = i / 255 * (stops.length - 1), low = Math.min(Math.floor(place), stops.length - 2);
    const mixed = stops[low].map((part, k) => Math.round(part + (place - low) * (stops[low + 1][k] - part)));
    return "rgb(" + mixed.join(",") + ")";
  });
}

// From light (0) to dark (1), and the other way round in the dark.
function ramp(share) {
  return theme.ramp[Math.max(0, Math.min(255, Math.round(share * 255)))];
}

function rampKey(from, to) {
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => ramp(from + share * (to - from)));
  const style = "background:linear-gradient(90deg," + stops.join(",") + ")";
  return element("span", { class: "key", "data-from": from, "data-to": to, style });
}

// ---- the tooltip -----------------------------------------------------------------------------------------

const tip = document.getElementById("tip");

function showTip(lines, x, y) {
  tip.replaceChildren(...lines.map((line) => element("div", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect(), gap = 14;
  const left = x + gap + box.width > innerWidth - 4 ? x - gap - box.width : x + gap;
  const top = y + gap + box.height > innerHeight - 4 ? y - gap - box.height : y + gap;
  tip.style.transform = "translate(" + Math.max(4, left) + "px," + Math.max(4, top) + "px)";
}

function hideTip() {
  tip.hidden = true;
}

function addNote(target, note) {
  if (!note) return target;
  const show = (x, y) => showTip([note], x, y);
  target.dataset.note = note;
  target.tabIndex = 0;
  target.addEventListener("pointermove", (event) => show(event.clientX, event.clientY));
  target.addEventListener("pointerleave", hideTip);
  target.addEventListener("focus", () => {
    const box = target.getBoundingClientRect();
    show(box.left, box.bottom);
  });
  target.addEventListener("blur", hideTip);
  return target;
}

// ---- figures ---------------------------------------------------------------------------------------------

const plots = [];

// A canvas as wide as its parent, and one above it for what is pointed at. `figure` has
//   label                      what it shows, for those who do not see it
//   height(width)              in pixels
//   draw(context, width, height)
//   find(x, y)                 the item there, or null
//   tell(item)                 lines about it, the first in bold
//   mark(context, item)        makes it stand out
//   place(item)                [x, y], where the tooltip goes when the keyboard moves
//   step(item, key)            the item next to it, by an arrow key; the first one when item is null
function addPlot(parent, figure) {
  const base = element("canvas"), above = element("canvas");
  const attributes = { class: "plot", tabindex: 0, role: "img", "aria-label": figure.label };
  const box = element("div", attributes, base, above);
  const plot = { box, figure, width: 0, height: 0, item: null };
  const clear = () => above.getContext("2d").clearRect(0, 0, above.width, above.height);

  plot.resize = () => {
    const scale = Math.max(devicePixelRatio || 1, 1), width = Math.max(box.clientWidth, 40);
    plot.width = width;
    plot.height = figure.height(width);
    for (const canvas of [base, above]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(plot.height * scale);
      canvas.style.height = plot.height + "px";
      canvas.getContext("2d").setTransform(scale, 0, 0, scale, 0, 0);
    }
    plot.redraw();
  };
  plot.redraw = () => {
    const context = base.getContext("2d");
    context.clearRect(0, 0, plot.width, plot.height);
    context.font = "11.5px " + getComputedStyle(document.body).fontFamily;
    context.lineWidth = 1;
    clear();
    plot.item = null;
    figure.draw(context, plot.width, plot.height);
  };
  plot.point = (item, x, y) => {
    if (item !== plot.item) {
      clear();
      plot.item = item;
      if (item !== null) figure.mark(above.getContext("2d"), item);
    }
    if (item === null) hideTip();
    else showTip(figure.tell(item), x, y);
  };
  box.addEventListener("pointermove", (event) => {
    const at = box.getBoundingClientRect();
    plot.point(figure.find(event.clientX - at.left, event.clientY - at.top), event.clientX, event.clientY);
  });
  box.addEventListener("pointerleave", () => plot.point(null));
  box.addEventListener("blur", () => plot.point(null));
  box.addEventListener("keydown", (event) => {
    const item = event.key.startsWith("Arrow") ? figure.step(plot.item, event.key) : null;
    if (event.key === "Escape") plot.point(null);
    if (item === null || item === undefined) return;
    const at = box.getBoundingClientRect(), [x, y] = figure.place(item);
    plot.point(item, at.left + x, at.top + y);
    event.preventDefault();
  });
  parent.append(box);
  plots.push(plot);
  new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== plot.width) plot.resize();
  }).observe(box);
  return plot;
}

// ---- parts of figures ------------------------------------------------------------------------------------

function writeText(context, text, x, y, align, colour) {
  context.fillStyle = colour || theme.soft;
  context.textAlign = align || "left";
  context.fillText(text, x, y);
}

// On top of lines.
function writeAbove(context, text, x, y, align, colour) {
  context.strokeStyle = theme.paper;
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.textAlign = align || "left";
  context.strokeText(text, x, y);
  context.lineWidth = 1;
  writeText(context, text, x, y, align, colour);
}

function line(context, x1, y1, x2, y2, colour, dash) {
  context.save();
  context.strokeStyle = colour;
  context.setLineDash(dash || []);
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  context.restore();
}

// Round ticks from `first` to `last` seconds along the bottom, with faint lines upwards.
function timeAxis(context, first, last, at, left, right, top, bottom) {
  line(context, left, bottom + 0.5, right, bottom + 0.5, theme.soft);
  if (!(last > first)) return;
  const step = roundStep(last - first, Math.max(2, Math.floor((right - left) / 72)));
  const [name, size] = timeUnit(Math.max(last, step));
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  for (let k = Math.ceil(first / step - 1e-9); k * step <= last * (1 + 1e-9); k++) {
    const x = Math.round(at(k * step)) + 0.5;
    line(context, x, top, x, bottom, theme.line);
    line(context, x, bottom, x, bottom + 5, theme.soft);
    const text = k === 0 ? "0" : (k * step / size).toFixed(digits) + "\u00a0" + name;
    const room = context.measureText(text).width / 2;
    writeText(context, text, Math.max(room, Math.min(x, right + 24 - room)), bottom + 18, "center");
  }
}

// The same for times of very different size: decades, and parts of them where there is room.
function logAxis(context, first, last, at, left, right, top, bottom) {
  const decade = (right - left) / Math.log10(last / first), digits = decade > 180 ? [1, 2, 5] : decade > 90 ? [1, 3] : [1];
  const every = Math.max(1, Math.ceil(64 / decade));
  line(context, left, bottom + 0.5, right, bottom + 0.5, theme.soft);
  for (let power = Math.floor(Math.log10(first)); power <= Math.log10(last); power++)
    for (const digit of power % every === 0 ? digits : []) {
      const time = digit * Math.pow(10, power), x = Math.round(at(time)) + 0.5;
      if (time < first || time > last) continue;
      line(context, x, top, x, bottom, theme.line);
      line(context, x, bottom, x, bottom + 5, theme.soft);
      writeText(context, seconds(time), x, bottom + 18, "center");
    }
}

const boundHeight = 15; // of the name of a bound

// Dashed lines that nothing can be left of, each with its name above it, in a line of its own.
function boundLines(context, bounds, at, left, right, top, bottom) {
  bounds.forEach((bound, i) => {
    const x = Math.round(at(bound.seconds)) + 0.5, y = top - 8 - boundHeight * (bounds.length - 1 - i);
    if (x < left || x > right + 1) return;
    const text = bound.name + " " + seconds(bound.seconds), half = context.measureText(text).width / 2;
    line(context, x, y + 4, x, bottom, theme.mark, [5, 3]);
    writeAbove(context, text, Math.max(left + half, Math.min(x, right + 20 - half)), y, "center", theme.mark);
  });
}
