// The matrix as a heat map: rows send, columns receive; bars beside it add up the rows, bars above it the
// columns.

const heatFrame = { left: 40, top: 78, side: 74, bottom: 26 };

function heatGeometry(section, width) {
  const room = Math.max(60, width - heatFrame.left - heatFrame.side);
  const cell = Math.min(48, room / section.size);
  return { cell, span: cell * section.size, gap: cell > 5 ? 1 : 0 };
}

// Logarithmic, the largest the strongest, never so light that a cell looks empty. The scale covers a factor of 16 at least, so
// that sizes which are nearly equal have nearly equal colours. Messages without bytes look like those of one.
function heatShare(section, amount) {
  const least = Math.max(section.least, 1), most = Math.max(section.most, 1);
  return 1 - 0.9 * Math.log(most / Math.max(amount, 1)) / Math.log(Math.max(most / least, 16));
}

function drawHeatSums(context, section, g) {
  const most = Math.max(1, ...section.out, ...section.in), room = 44;
  context.fillStyle = theme.bar;
  section.out.forEach((amount, i) => {
    const y = heatFrame.top + i * g.cell;
    context.fillRect(heatFrame.left + g.span + 6, y, room * amount / most, g.cell - g.gap);
  });
  section.in.forEach((amount, i) => {
    const height = room * amount / most;
    context.fillRect(heatFrame.left + i * g.cell, heatFrame.top - 6 - height, g.cell - g.gap, height);
  });
  writeText(context, "sends", heatFrame.left + g.span + 6, heatFrame.top - 6);
  writeText(context, "receives", heatFrame.left, heatFrame.top - 56);
}

function drawHeatCells(context, section, g) {
  context.fillStyle = theme.lane;
  context.fillRect(heatFrame.left, heatFrame.top, g.span, g.span);
  for (let i = 0; i < section.from.length; i++) {
    context.fillStyle = ramp(heatShare(section, section.bytes[i]));
    context.fillRect(heatFrame.left + section.to[i] * g.cell, heatFrame.top + section.from[i] * g.cell,
      g.cell - g.gap, g.cell - g.gap);
  }
  const every = Math.max(1, roundStep(section.ranks, g.span / 26));
  for (let rank = 0; rank < section.ranks; rank += every) {
    const middle = (rank / section.block + (section.block === 1 ? 0.5 : 0)) * g.cell;
    writeText(context, String(rank), heatFrame.left - 6, heatFrame.top + middle + 4, "right");
    writeText(context, String(rank), heatFrame.left + middle, heatFrame.top + g.span + 16, "center");
  }
  const away = g.cell < 14 ? 6 : 0; // from the number of the first rank
  writeText(context, "from", heatFrame.left - 6, heatFrame.top - 6 - away, "right");
  writeText(context, "to", heatFrame.left - 6 - away, heatFrame.top + g.span + 16, "right");
}

function heatCell(section, row, column) {
  return section.index.get(row * section.size + column);
}

function tellHeat(section, item) {
  const [row, column] = item, at = heatCell(section, row, column);
  const name = (line) => ranksText(line, section.block, section.ranks);
  const heading = name(row) + " \u2192 " + name(column);
  if (at === undefined)
    return [heading, row === column && section.block === 1 ? "itself" : "no message"];
  const lines = [heading, bytes(section.bytes[at])];
  if (section.block > 1) lines.push("in " + count(section.messages[at]) + " messages");
  return lines;
}

function stepHeat(section, item, key) {
  if (item === null) return section.from.length ? [section.from[0], section.to[0]] : [0, 0];
  const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  const inside = (at) => Math.max(0, Math.min(section.size - 1, at));
  return [inside(item[0] + down), inside(item[1] + right)];
}

function drawHeat(section) {
  section.least = section.bytes.reduce((a, b) => Math.min(a, b), Infinity);
  section.most = section.bytes.reduce((a, b) => Math.max(a, b), 0);
  section.index = new Map(section.from.map((row, i) => [row * section.size + section.to[i], i]));
  const one = section.block === 1 ? "a rank" : section.block + " ranks";
  const made = openSection(section, "Each row is what " + one + (section.block === 1 ? " sends" : " send") +
    ", each column what " + one + (section.block === 1 ? " receives" : " receive") +
    "; the bars add up rows and columns. The stronger the colour, the more bytes (logarithmic).", true);
  const geometry = () => heatGeometry(section, plot.width);
  const plot = addPlot(made, {
    label: "Heat map of " + count(section.ranks) + " by " + count(section.ranks) + " ranks",
    height: (width) => heatFrame.top + heatGeometry(section, width).span + heatFrame.bottom,
    draw(context, width) {
      const g = heatGeometry(section, width);
      drawHeatSums(context, section, g);
      drawHeatCells(context, section, g);
    },
    find(x, y) {
      const { cell } = geometry();
      const row = Math.floor((y - heatFrame.top) / cell), column = Math.floor((x - heatFrame.left) / cell);
      if (row < 0 || column < 0 || row >= section.size || column >= section.size) return null;
      const last = plot.item;
      return last && last[0] === row && last[1] === column ? last : [row, column];
    },
    tell: (item) => tellHeat(section, item),
    mark(context, [row, column]) {
      const { cell, gap } = geometry(), x = heatFrame.left + column * cell, y = heatFrame.top + row * cell;
      context.strokeStyle = theme.mark;
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, cell - gap + 2, cell - gap + 2);
      context.lineWidth = 1;
      line(context, heatFrame.left, y + cell / 2, x - 2, y + cell / 2, theme.mark);
      line(context, x + cell / 2, heatFrame.top, x + cell / 2, y - 2, theme.mark);
    },
    place: ([row, column]) => [heatFrame.left + (column + 0.5) * geometry().cell,
      heatFrame.top + (row + 0.5) * geometry().cell],
    step: (item, key) => stepHeat(section, item, key),
  });
  const legend = element("div", { class: "tools" });
  if (section.most === 0) legend.append("Nobody sends anything to another rank.");
  else if (section.most === section.least)
    legend.append(element("span", { class: "group" }, rampKey(1, 1), "each " + bytes(section.most)));
  else
    legend.append(element("span", { class: "group" },
      bytes(section.least), rampKey(heatShare(section, section.least), 1), bytes(section.most)));
  if (section.most > 0)
    legend.append(element("span", { class: "group" }, element("span", { class: "track" }, element("i", { style: "width:100%" })),
      "the longest bar: " + bytes(Math.max(...section.out, ...section.in))));
  made.append(legend);
  return made;
}
