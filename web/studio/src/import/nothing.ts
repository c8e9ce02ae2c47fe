// Instead of modules of node, which no browser has.
export default {};
