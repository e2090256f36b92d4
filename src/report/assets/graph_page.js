// The page of one program: the graph in a panel, a search over it.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const hide = isomerParts.hideTip;
  document.getElementById("note").textContent = data.note;
  const side = isomerParts.panel("program", "Program", data.graph, 0, (own) => ({
    hover: (box, event) => {
      if (!box) return hide();
      const n = own.graph.nodes[box.node];
      isomerParts.showTip(event, n.op, isomerParts.aboutNode(n));
    },
    select: (node) => own.view.mark(node),
  }));
  side.view.draw();
  side.view.start();
  isomerParts.search([side]);
  isomerParts.themeSwitch(() => side.view.repaint());
})();
