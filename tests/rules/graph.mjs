// Files that use each other in a circle, for the rules about them.

/** Groups in which everybody reaches everybody (Tarjan 1972, "Depth-first search and linear graph algorithms"). */
export function findCircles(uses) {
  const order = new Map(), low = new Map(), stack = [], waiting = new Set(), circles = [];
  const visit = (name) => {
    order.set(name, order.size);
    low.set(name, order.get(name));
    stack.push(name);
    waiting.add(name);
    for (const other of uses.get(name).keys()) {
      if (!order.has(other)) visit(other);
      if (waiting.has(other)) low.set(name, Math.min(low.get(name), low.get(other)));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = stack.splice(stack.indexOf(name));
    circle.forEach((one) => waiting.delete(one));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const name of uses.keys()) if (!order.has(name)) visit(name);
  return circles;
}

/** Prints the circles of `uses` (file -> files that it uses, each with what shows it). Ends with 1 where there are any. */
export function report(uses, least) {
  const circles = findCircles(uses);
  for (const circle of circles) {
    console.log(`circle of ${circle.length}:`);
    for (const name of circle)
      for (const [other, by] of uses.get(name)) if (circle.includes(other)) console.log(`  ${name} uses ${other}: ${by}`);
  }
  console.log(`${circles.length} circles in ${uses.size} files`);
  if (uses.size < least) console.log('that is too few files: the check is looking in the wrong place');
  process.exit(circles.length || uses.size < least ? 1 : 0);
}
