// From the data to the page. A kind of section is one line in the table.

const kinds = {
  text: drawText,
  chapter: drawChapter,
  facts: drawFacts,
  table: drawTable,
  heat: drawHeat,
  timeline: drawTimeline,
  phases: drawPhases,
  ranges: drawRanges,
};

function drawHeader(page) {
  const chapters = page.sections.filter((section) => section.kind === "chapter");
  const header = document.querySelector("header");
  header.append(element("div", { class: "brand" }, "Quadrille"), element("h1", {}, breakable(page.title)));
  if (page.subtitle) header.append(element("p", { class: "subtitle" }, page.subtitle));
  if (chapters.length > 1)
    header.append(element("nav", { "aria-label": "Chapters" }, chapters.map((chapter, i) =>
      element("a", { href: "#chapter-" + (i + 1) }, breakable(chapter.heading)))));
  document.querySelector("footer").append("Made by quadrille " + page.version +
    ". This file is complete in itself: it loads nothing and sends nothing.");
}

function drawPage(page) {
  const main = document.querySelector("main");
  let chapters = 0;
  main.replaceChildren();
  for (const section of page.sections) {
    if (section.kind === "chapter") chapters++;
    main.append(kinds[section.kind](section, chapters));
  }
}

// Printers get the light theme (the style sheet says so), so figures are drawn again for them.
function redrawAll() {
  readTheme();
  for (const key of document.querySelectorAll(".key[data-from]"))
    key.replaceWith(rampKey(Number(key.dataset.from), Number(key.dataset.to)));
  for (const plot of plots) plot.resize();
  for (const lay of wideTables) lay();
}

function start() {
  const page = JSON.parse(document.getElementById("data").textContent);
  readTheme();
  drawHeader(page);
  drawPage(page);
  for (const query of ["(prefers-color-scheme: dark)", "print"])
    matchMedia(query).addEventListener("change", redrawAll);
}
