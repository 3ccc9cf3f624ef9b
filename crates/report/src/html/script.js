// Lights up what belongs together: an event, its arrows, its line of source and its row in the tables.
"use strict";
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const drawing = document.querySelector(".execution");
  const nodes = all(".execution .node[data-node]");
  const edges = all("[data-from]");
  const lines = all(".line.marked");
  const rows = all("tr[data-node]");
  let pinned = [];

  const show = (wanted) => {
    const has = (number) => wanted.includes(number);
    const near = new Set();
    for (const edge of edges) {
      const { from, to } = edge.dataset;
      const lit = has(from) || has(to);
      edge.classList.toggle("lit", lit);
      if (lit) near.add(from).add(to);
    }
    for (const node of nodes) {
      node.classList.toggle("lit", has(node.dataset.node));
      node.classList.toggle("near", near.has(node.dataset.node));
    }
    for (const line of lines) line.classList.toggle("lit", line.dataset.nodes.split(" ").some(has));
    for (const row of rows) row.classList.toggle("lit", has(row.dataset.node));
    drawing.classList.toggle("some-lit", wanted.length !== 0);
  };

  const watch = (element, numbers) => {
    element.addEventListener("pointerenter", () => show(numbers));
    element.addEventListener("focusin", () => show(numbers));
    element.addEventListener("pointerleave", () => show(pinned));
    element.addEventListener("focusout", () => show(pinned));
    element.addEventListener("click", () => { pinned = numbers; show(pinned); });
  };

  for (const node of nodes) watch(node.closest("a") || node, [node.dataset.node]);
  for (const line of lines) watch(line, line.dataset.nodes.split(" "));
  for (const row of rows) watch(row, [row.dataset.node]);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { pinned = []; show(pinned); }
  });
})();
