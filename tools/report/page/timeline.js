// Timelines: one lane per rank, its sends above, its receives below, in one panel per method and on one time
// axis. What is in one lane at once shares its height: bars are packed into rows, first fit by rising begin.
// Times come as whole numbers of panel.unit seconds. Hundreds of thousands of bars are drawn at once, so a bar
// is a number, everything about it stands in typed arrays, and what a pixel already shows is not drawn again.

const laneFrame = { left: 40, right: 26, top: 24, bottom: 26 };
const SENDS = 0, RECEIVES = 1, MOST_ROWS = 64;

// ---- where bars stand ------------------------------------------------------------------------------------

// The bars of one direction, lane by lane: list[first[lane]] .. list[first[lane + 1] - 1], by rising begin.
function sortLanes(panel, owner, lanes) {
  const first = new Uint32Array(lanes + 1), list = new Uint32Array(owner.length);
  for (const rank of owner) if (rank < lanes) first[rank + 1]++;
  for (let lane = 0; lane < lanes; lane++) first[lane + 1] += first[lane];
  const next = first.slice();
  for (let i = 0; i < owner.length; i++) if (owner[i] < lanes) list[next[owner[i]]++] = i;
  for (let lane = 0; lane < lanes; lane++)
    list.subarray(first[lane], first[lane + 1]).sort((a, b) => panel.start[a] - panel.start[b] || a - b);
  return { first, list: list.subarray(0, first[lanes]) };
}

// Fills row[bar] and returns how many rows each lane has. With one row, later bars lie on earlier ones.
function packRows(panel, strip, lanes, mostRows) {
  strip.row = new Uint8Array(panel.from.length);
  strip.rows = new Uint8Array(lanes).fill(1);
  for (let lane = 0; lane < lanes; lane++) {
    const ends = [];
    for (let k = strip.first[lane]; k < strip.first[lane + 1]; k++) {
      const bar = strip.list[k];
      let row = ends.findIndex((end) => end <= panel.start[bar]);
      if (row < 0) row = ends.length < mostRows ? ends.length : ends.indexOf(Math.min(...ends));
      ends[row] = Math.max(ends[row] || 0, panel.end[bar]);
      strip.row[bar] = row;
    }
    strip.rows[lane] = Math.max(1, ends.length);
  }
}

function preparePanel(panel, section) {
  for (const name of ["from", "to", "start", "end", "phase"]) panel[name] = Int32Array.from(panel[name]);
  panel.strips = [panel.from, panel.to].map((owner) => sortLanes(panel, owner, section.lanes));
  packRows(panel, panel.strips[SENDS], section.lanes, section.measured ? 1 : MOST_ROWS);
  packRows(panel, panel.strips[RECEIVES], section.lanes, MOST_ROWS);
  panel.groups = {};
}

// Bars of one colour, by what they are coloured by.
function groupOf(panel, colour, key) {
  if (!panel.groups[colour]) {
    const groups = panel.groups[colour] = new Map();
    panel[colour].forEach((value, bar) => {
      if (!groups.has(value)) groups.set(value, []);
      groups.get(value).push(bar);
    });
  }
  return panel.groups[colour].get(key);
}

// ---- one panel -------------------------------------------------------------------------------------------

function laneHeight(lanes) {
  return lanes <= 16 ? 26 : lanes <= 40 ? 16 : lanes <= 128 ? 9 : Math.max(1152 / lanes, 1);
}

// Sends take the upper half; where they were measured they overlap and are a thin line, for arrivals say more.
function stripPlace(section, direction) {
  if (section.measured) return direction === SENDS ? [0.05, 0.14] : [0.24, 0.64];
  return direction === SENDS ? [0.06, 0.42] : [0.52, 0.42];
}

function Panel(section, panel, view) {
  const lane = laneHeight(section.lanes), strips = panel.strips;
  const self = { plot: null };
  const at = (time) => laneFrame.left + (time - view.first) / (view.last - view.first) * self.span();
  const barBox = (bar, direction) => {
    const owner = direction === SENDS ? panel.from[bar] : panel.to[bar], strip = strips[direction];
    const [top, share] = stripPlace(section, direction), height = lane * share / strip.rows[owner];
    const left = at(panel.start[bar] * panel.unit), right = at(panel.end[bar] * panel.unit);
    const y = laneFrame.top + lane * (owner + top) + height * strip.row[bar];
    return [left, y, right - left, height > 3 ? height - 0.7 : height];
  };
  const colourOf = (bar) => {
    const key = panel[view.colour][bar], most = view.colour === "phase" ? panel.phases - 1 : section.ranks - 1;
    return ramp(most > 0 ? 0.12 + 0.88 * key / most : 0.6);
  };
  const fillBar = (context, bar, direction, seen) => {
    const [left, y, width, height] = barBox(bar, direction);
    if (left > self.right() || left + width < laneFrame.left) return;
    const from = Math.max(left, laneFrame.left), to = Math.min(left + width, self.right());
    if (seen) {
      const place = direction * MOST_ROWS + strips[direction].row[bar];
      if (to - seen[place] < 0.4 && seen[place] >= from) return;
      seen[place] = to;
    }
    context.fillStyle = colourOf(bar);
    context.fillRect(from, y, Math.max(to - from - (to - from > 4 ? 1 : 0), 0.6), height);
  };
  self.span = () => self.plot.width - laneFrame.left - laneFrame.right;
  self.right = () => laneFrame.left + self.span();
  self.bottom = () => laneFrame.top + lane * section.lanes;
  self.time = (x) => view.first + (x - laneFrame.left) / self.span() * (view.last - view.first);

  const drawLanes = (context) => {
    const every = Math.max(1, roundStep(section.lanes, self.bottom() / 13));
    for (let rank = 0; rank < section.lanes; rank++) {
      const y = laneFrame.top + lane * rank;
      if (panel.began) {
        const from = Math.max(at(panel.began[rank]), laneFrame.left);
        const to = Math.min(at(panel.ended[rank]), self.right());
        context.fillStyle = theme.busy;
        if (to > from) context.fillRect(from, y + lane * 0.03, to - from, lane * 0.94);
      } else if (rank % 2 === 0) {
        context.fillStyle = theme.lane;
        context.fillRect(laneFrame.left, y, self.span(), lane);
      }
      if (rank % every === 0) writeText(context, String(rank), laneFrame.left - 7, y + lane / 2 + 4, "right");
    }
    writeText(context, "rank", laneFrame.left - 7, laneFrame.top - 12, "right");
  };
  const drawGrants = (context) => {
    context.fillStyle = theme.ink;
    for (let i = 0; panel.grants && i < panel.grants.rank.length; i++) {
      const x = at(panel.grants.time[i] * panel.unit), rank = panel.grants.rank[i];
      if (rank < section.lanes && x >= laneFrame.left && x <= self.right())
        context.fillRect(x, laneFrame.top + lane * (rank + 0.9), 0.7, lane * 0.08);
    }
  };
  // The larger the window of a rank, the higher its line; the highest of all ranks has the height of a lane.
  const drawWindows = (context) => {
    const { rank = [], time = [], bytes = [] } = panel.windows || {};
    const largest = bytes.reduce((most, one) => Math.max(most, one), 0);
    const paths = Array.from({ length: section.lanes }, () => []);
    rank.forEach((one, i) => {
      if (one < section.lanes) paths[one].push({ x: at(time[i] * panel.unit), height: bytes[i] / largest });
    });
    context.strokeStyle = theme.ink;
    context.lineWidth = 1.2;
    paths.forEach((path, one) => {
      if (path.length === 0) return;
      const level = (point) => laneFrame.top + lane * (one + 0.95 - 0.88 * point.height);
      const within = (x) => Math.min(self.right(), Math.max(laneFrame.left, x));
      context.beginPath();
      context.moveTo(within(path[0].x), level(path[0]));
      path.forEach((point, i) => {
        if (i > 0) context.lineTo(within(point.x), level(path[i - 1]));
        context.lineTo(within(point.x), level(point));
      });
      context.lineTo(within(at(panel.ended ? panel.ended[one] : section.seconds)), level(path[path.length - 1]));
      context.stroke();
    });
  };
  self.draw = (context) => {
    timeAxis(context, view.first, view.last, at, laneFrame.left, self.right(), laneFrame.top, self.bottom());
    drawLanes(context);
    for (const direction of [RECEIVES, SENDS])
      for (let rank = 0; rank < section.lanes; rank++) {
        const seen = new Float64Array(2 * MOST_ROWS).fill(-1), { first, list } = strips[direction];
        for (let k = first[rank]; k < first[rank + 1]; k++) fillBar(context, list[k], direction, seen);
      }
    drawGrants(context);
    drawWindows(context);
    const bounds = panel.bound ? [panel.bound] : [];
    boundLines(context, bounds, at, laneFrame.left, self.right(), laneFrame.top, self.bottom());
  };

  // What is pointed at has a number: twice the bar, and the direction it was seen in.
  self.find = (x, y) => {
    const rank = Math.floor((y - laneFrame.top) / lane);
    if (rank < 0 || rank >= section.lanes || x < laneFrame.left - 2 || x > self.right() + 2) return null;
    for (const direction of [SENDS, RECEIVES]) {
      const { first, list } = strips[direction], until = self.time(x + 2) / panel.unit;
      let low = first[rank], high = first[rank + 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (panel.start[list[middle]] <= until) low = middle + 1;
        else high = middle;
      }
      for (let k = low - 1, tries = 0; k >= first[rank] && tries < 4096; k--, tries++) {
        const [left, top, width, height] = barBox(list[k], direction);
        if (x <= left + width + 2 && y >= top - 0.5 && y <= top + height + 1) return 2 * list[k] + direction;
      }
    }
    return null;
  };
  self.tell = (item) => tellBar(section, panel, item >> 1, item & 1);
  self.mark = (context, item) => {
    const bar = item >> 1;
    const [left, top, width, height] = barBox(bar, SENDS), [, below, , low] = barBox(bar, RECEIVES);
    context.fillStyle = theme.paper;
    context.globalAlpha = 0.72;
    context.fillRect(laneFrame.left, laneFrame.top, self.span(), lane * section.lanes);
    context.globalAlpha = 1;
    for (const other of groupOf(panel, view.colour, panel[view.colour][bar])) {
      if (panel.from[other] < section.lanes) fillBar(context, other, SENDS);
      if (panel.to[other] < section.lanes) fillBar(context, other, RECEIVES);
    }
    const inside = (x) => Math.max(laneFrame.left, Math.min(x, self.right()));
    const from = inside(left), to = inside(left + width), middle = (from + to) / 2;
    context.strokeStyle = theme.mark;
    context.lineWidth = 1.5;
    for (const [y, tall, rank] of [[top, height, panel.from[bar]], [below, low, panel.to[bar]]])
      if (rank < section.lanes) context.strokeRect(from - 1, y - 1, Math.max(to - from, 1) + 1, tall + 2);
    const limit = self.bottom(), [one, two] = top < below ? [top + height, below] : [below + low, top];
    line(context, middle, Math.min(one, limit), middle, Math.min(two, limit), theme.mark);
  };
  self.place = (item) => {
    const [left, top, width] = barBox(item >> 1, item & 1);
    return [left + width / 2, top];
  };
  self.step = (item, key) => stepBar(section, panel, item, key);
  self.label = panel.title + ": timeline of " + count(section.ranks) + " ranks and " +
    count(panel.from.length) + " transfers";
  self.height = () => self.bottom() + laneFrame.bottom;
  return self;
}

// ---- one bar ---------------------------------------------------------------------------------------------

function tellBar(section, panel, bar, direction) {
  const from = "rank " + panel.from[bar], to = "rank " + panel.to[bar];
  const start = panel.start[bar] * panel.unit, end = panel.end[bar] * panel.unit;
  const heading = direction === SENDS ? from + " sends to " + to : to + " receives from " + from;
  const lines = [heading, bytes(panel.bytes[bar])];
  if (panel.phases > 1 || !section.measured)
    lines.push("phase " + (panel.phase[bar] + 1) + " of " + count(panel.phases) +
      (panel.stage ? ", stage " + (panel.stage[bar] + 1) : ""));
  lines.push(seconds(start) + " to " + seconds(end) + " (" + seconds(end - start) + ")");
  return lines;
}

// Left and right go along a lane, up and down to the same moment in the next lane that has a bar.
function stepBar(section, panel, item, key) {
  const direction = item === null ? SENDS : item & 1, strip = panel.strips[direction];
  if (item === null) return strip.list.length ? 2 * strip.list[0] + direction : null;
  const bar = item >> 1, rank = (direction === SENDS ? panel.from : panel.to)[bar];
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const k = strip.list.indexOf(bar) + (key === "ArrowLeft" ? -1 : 1);
    return k >= strip.first[rank] && k < strip.first[rank + 1] ? 2 * strip.list[k] + direction : null;
  }
  const way = key === "ArrowDown" ? 1 : -1;
  for (let half = 2 * rank + direction + way; half >= 0 && half < 2 * section.lanes; half += way) {
    const other = panel.strips[half & 1], lane = half >> 1;
    for (let k = other.first[lane]; k < other.first[lane + 1]; k++)
      if (panel.end[other.list[k]] > panel.start[bar] || k + 1 === other.first[lane + 1])
        return 2 * other.list[k] + (half & 1);
  }
  return null;
}

// ---- all panels ------------------------------------------------------------------------------------------

// Drag over a time to see it larger, double-click to see all.
function addZoom(panel, view, redraw) {
  const box = panel.plot.box;
  let from = null;
  const x = (event) => {
    const place = event.clientX - box.getBoundingClientRect().left;
    return Math.max(laneFrame.left, Math.min(place, panel.right()));
  };
  const zoom = (first, last) => {
    view.first = Math.max(0, first);
    view.last = Math.min(view.whole, last);
    redraw();
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch" && event.button === 0) from = x(event);
  });
  box.addEventListener("pointermove", (event) => {
    if (from === null || Math.abs(x(event) - from) < 4) return;
    const context = box.lastChild.getContext("2d");
    const left = Math.min(from, x(event)), right = Math.max(from, x(event));
    panel.plot.point(null);
    context.clearRect(0, 0, panel.plot.width, panel.plot.height);
    context.fillStyle = theme.mark;
    context.globalAlpha = 0.18;
    context.fillRect(left, laneFrame.top, right - left, panel.bottom() - laneFrame.top);
    context.globalAlpha = 1;
  });
  addEventListener("pointerup", (event) => {
    if (from === null) return;
    const times = [panel.time(from), panel.time(x(event))].sort((a, b) => a - b);
    const far = Math.abs(x(event) - from) > 6;
    from = null;
    if (far && times[1] - times[0] > view.whole * 1e-5) zoom(times[0], times[1]);
  });
  box.addEventListener("dblclick", () => zoom(0, view.whole));
  box.addEventListener("keydown", (event) => {
    const middle = (view.first + view.last) / 2, half = (view.last - view.first) / 2;
    if (event.key === "+" && half > view.whole * 1e-4) zoom(middle - half / 2, middle + half / 2);
    if (event.key === "-") zoom(middle - half * 2, middle + half * 2);
    if (event.key === "0") zoom(0, view.whole);
  });
}

function timelineTools(section, view, redraw) {
  const made = element("div", { class: "tools" }), legend = element("span", { class: "group" });
  const phased = section.panels.some((panel) => panel.phases > 1), buttons = [];
  const choose = (colour) => {
    const [first, last] = colour === "phase" ? ["first phase", "last"] : ["rank 0", "rank " + (section.ranks - 1)];
    view.colour = colour;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.value === colour));
    legend.replaceChildren(first, rampKey(0.12, 1), last);
  };
  for (const [colour, name] of [["phase", "phase"], ["from", "sender"]]) {
    if (colour === "phase" && !phased) continue;
    const button = element("button", { type: "button", value: colour }, name);
    button.addEventListener("click", () => {
      choose(colour);
      redraw();
    });
    buttons.push(button);
  }
  choose(phased && !section.measured ? "phase" : "from");
  made.append(element("span", { class: "group" }, "Colour: ", buttons), legend);
  const has = (list) => section.panels.some((panel) => panel[list] && panel[list].rank.length > 0);
  const key = (kind, text) => element("span", { class: "group" }, element("span", { class: "swatch " + kind }), text);
  if (section.measured) made.append(key("busy", "in the exchange"));
  if (has("grants")) made.append(key("grants", "grants"));
  if (has("windows")) made.append(key("window", "window, higher for more"));
  made.append(element("span", {}, "Drag to see a time larger, double-click to see all."));
  return made;
}

// What is behind the name of a panel: its time, and how large windows were at most, which is the scale of their lines.
function panelNote(panel) {
  const largest = panel.windows ? panel.windows.bytes.reduce((most, one) => Math.max(most, one), 0) : 0;
  return panel.note + (largest ? ", window at most " + bytes(largest) : "");
}

function drawTimeline(section) {
  const made = openSection(section, section.text);
  const view = { first: 0, last: section.seconds, whole: section.seconds };
  const panels = [], redraw = () => panels.forEach((panel) => panel.plot.redraw());
  if (!(view.whole > 0)) view.last = view.whole = 1e-9;
  made.append(timelineTools(section, view, redraw));
  for (const data of section.panels) {
    preparePanel(data, section);
    made.append(element("h4", {}, data.title + " ", element("span", {}, panelNote(data))));
    for (const text of [data.what, data.empty]) if (text) made.append(element("p", { class: "caption what" }, text));
    const panel = Panel(section, data, view);
    panel.plot = addPlot(made, panel);
    addZoom(panel, view, redraw);
    panels.push(panel);
  }
  return made;
}
