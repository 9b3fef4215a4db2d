// Text, tables and lists of numbers.

function drawText(section) {
  const made = openSection(section);
  for (const paragraph of section.text.split(/\n\s*\n/))
    if (paragraph.trim()) made.append(element("p", {}, paragraph.trim()));
  return made;
}

function drawChapter(section, number) {
  return element("div", { class: "chapter", id: "chapter-" + number },
    element("h2", {}, breakable(section.heading)), section.text ? element("p", {}, section.text) : null);
}

function drawFacts(section) {
  const made = openSection(section, null, true);
  made.append(element("dl", {}, section.facts.map((fact) =>
    element("div", {}, element("dt", {}, fact.name), element("dd", { class: "value" }, fact.text),
      element("dd", { class: "note" }, fact.note || "")))));
  return made;
}

// ---- tables ----------------------------------------------------------------------------------------------

function cellText(cell) {
  if (cell === null) return "";
  if (typeof cell === "number") return count(cell);
  return typeof cell === "string" ? cell : String(cell.text === undefined ? "" : cell.text);
}

// What a column is sorted by: the length of its bar, its number, else its text.
function cellOrder(cell) {
  if (cell === null) return Infinity;
  if (typeof cell === "number") return cell;
  if (typeof cell === "object" && typeof cell.bar === "number") return cell.bar;
  const text = cellText(cell), number = parseFloat(text.replace(/,/g, ""));
  return Number.isNaN(number) ? text : number;
}

function drawCell(cell, column) {
  const text = cellText(cell), made = element("td", { class: column.align === "right" ? "right" : null });
  if (text.length > 24 && column.align !== "right") made.classList.add("long");
  const words = element("span", {}, text);
  if (cell !== null && typeof cell === "object") {
    addNote(words, cell.note);
    made.append(words);
    if (typeof cell.bar !== "number") return made;
    const percent = (share) => Math.max(0, Math.min(1, share)) * 100 + "%";
    made.append(element("span", { class: "track", "aria-hidden": "true" },
      element("i", { style: "width:" + percent(cell.bar) }),
      typeof cell.mark === "number" ? element("b", { style: "left:" + percent(cell.mark) }) : null));
    return made;
  }
  made.append(words);
  return made;
}

function drawTable(section) {
  const made = openSection(section, section.text), body = element("tbody");
  const rows = section.rows.map((row) => ({
    row,
    made: element("tr", {}, section.columns.map((column, k) => drawCell(k < row.length ? row[k] : null, column))),
  }));
  body.append(...rows.map((row) => row.made));
  const headings = section.columns.map((column, k) => {
    const button = addNote(element("button", { type: "button" }, column.name.replace("/ ", "/\u00a0"),
      column.unit ? element("span", { class: "unit" }, " [" + column.unit + "]") : null), column.note);
    const barred = section.rows.some((row) => row[k] && typeof row[k] === "object" && "bar" in row[k]);
    const classes = [column.align === "right" ? "right" : "", barred ? "barred" : ""].join(" ").trim();
    const heading = element("th", { scope: "col", class: classes || null }, button);
    button.addEventListener("click", () => {
      const rising = heading.getAttribute("aria-sort") !== "ascending";
      for (const other of headings) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const order = (one) => cellOrder(k < one.row.length ? one.row[k] : null);
      const compare = (a, b) => typeof a === typeof b ? (a > b) - (a < b) : typeof a === "number" ? -1 : 1;
      rows.sort((a, b) => (rising ? 1 : -1) * compare(order(a), order(b)));
      body.append(...rows.map((row) => row.made));
    });
    return heading;
  });
  const head = element("thead", {}, element("tr", {}, headings));
  addScroll(made, section, element("table", {}, head, body));
  if (section.mark) made.append(markKey(section.mark));
  return made;
}

function markKey(meaning) {
  const sample = element("span", { class: "track" }, element("i", { style: "width:80%" }), element("b", { style: "left:50%" }));
  return element("div", { class: "tools" }, element("span", { class: "group sample-bar" }, sample, meaning));
}

// ---- tables wider than the page --------------------------------------------------------------------------

const wideTables = [];

// A table that does not fit scrolls sideways, except for its first columns, up to the one with names. A line above tells
// how many columns are out of sight, and has buttons for them. No column is seen in part: what is left of one is covered.
function addScroll(made, section, table) {
  const kept = 1 + Math.max(0, section.columns.findIndex((column) => column.align !== "right"));
  const button = (text, label) => element("button", { type: "button", "aria-label": label }, text);
  const back = button("\u2039", "columns to the left"), on = button("\u203a", "columns to the right");
  const words = element("span"), cue = element("div", { class: "cue", hidden: "" }, words, back, on);
  const box = element("div", { class: "scroll", role: "region", "aria-label": section.heading || "table" }, table);
  const covers = [element("div", { class: "cover before" }), element("div", { class: "cover after" })];
  const frame = element("div", { class: "frame" }, box, covers), heads = [...table.tHead.rows[0].cells];
  let seen = { first: kept, last: heads.length - 1, fixed: 0 };

  const cover = (made, from, to) => {
    made.style.display = to - from > 1 ? "block" : "none";
    made.style.left = from + "px";
    made.style.width = to - from + "px";
    made.style.height = table.offsetHeight + "px";
  };
  const show = () => {
    const start = box.scrollLeft, room = box.clientWidth, fixed = seen.fixed;
    const begin = (k) => heads[k].offsetLeft - start, end = (k) => begin(k) + heads[k].offsetWidth;
    const whole = heads.map((_, k) => k).filter((k) => k >= kept && begin(k) >= fixed - 1 && end(k) <= room + 1);
    if (whole.length === 0) whole.push(heads.findIndex((_, k) => k >= kept && end(k) > fixed + 1));
    const first = whole[0], last = whole[whole.length - 1];
    seen = { first, last, fixed };
    cover(covers[0], fixed, Math.min(begin(first), room));
    const right = heads.length - 1 - last, left = first - kept;
    // The edges of columns are not quite where whole pixels are.
    cover(covers[1], right ? Math.max(end(last) - 2, fixed) : room, room);
    const columns = (number) => number + (number === 1 ? " more column" : " more columns");
    words.textContent = [left ? "\u2190 " + columns(left) : "", right ? columns(right) + " \u2192" : ""].filter(Boolean).join(", ");
    back.disabled = left === 0;
    on.disabled = right === 0;
  };
  const lay = () => {
    frame.classList.remove("narrow");
    const narrow = table.offsetWidth > box.clientWidth + 1;
    frame.classList.toggle("narrow", narrow);
    cue.hidden = !narrow;
    for (const made of covers) made.style.display = "none";
    if (!narrow) return box.removeAttribute("tabindex");
    box.tabIndex = 0;
    let left = 0;
    for (let k = 0; k < kept; k++) {
      for (const row of table.rows) row.cells[k].style.left = left + "px";
      left += heads[k].offsetWidth;
    }
    seen.fixed = left;
    show();
  };
  for (const row of table.rows)
    for (let k = 0; k < kept; k++) row.cells[k].classList.add("kept", ...(k === kept - 1 ? ["edge"] : []));
  on.addEventListener("click", () => {
    box.scrollLeft = heads[seen.last + 1].offsetLeft - seen.fixed;
  });
  back.addEventListener("click", () => {
    const before = heads[seen.first - 1];
    box.scrollLeft = before.offsetLeft + before.offsetWidth - box.clientWidth;
  });
  box.addEventListener("scroll", show);
  new ResizeObserver(lay).observe(box);
  wideTables.push(lay);
  made.append(cue, frame);
}
