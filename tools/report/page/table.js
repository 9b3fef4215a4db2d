// Text, tables and lists of numbers.

function drawText(section) {
  const made = openSection(section);
  for (const paragraph of section.text.split(/\n\s*\n/))
    if (paragraph.trim()) made.append(element("p", {}, paragraph.trim()));
  return made;
}

function drawChapter(section, number) {
  return element("div", { class: "chapter", id: "chapter-" + number },
    element("h2", {}, section.heading), section.text ? element("p", {}, section.text) : null);
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
  if (text.length > 60) made.classList.add("long");
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
  const made = openSection(section), body = element("tbody");
  const rows = section.rows.map((row) => ({
    row,
    made: element("tr", {}, section.columns.map((column, k) => drawCell(k < row.length ? row[k] : null, column))),
  }));
  body.append(...rows.map((row) => row.made));
  const headings = section.columns.map((column, k) => {
    const button = addNote(element("button", { type: "button" }, column.name,
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
  made.append(element("div", { class: "scroll" }, element("table", {}, head, body)));
  return made;
}
