// Names of joints, as people want to read them.

const SHARE = 0.75;

/** Names without a prefix that most of them have: "Hips" for "mixamorig:Hips". */
export function withoutPrefix(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const [prefix] = /^[a-z0-9]+[:_ |.-]+(?=.)/i.exec(name) ?? [];
    if (prefix) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
  }
  const [prefix, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  const short = names.map((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name));
  const readable = short.every((name) => /[a-z]{2}/i.test(name) || name === '');
  return count >= 4 && count >= SHARE * names.length && readable && new Set(short).size === new Set(names).size
    ? short
    : [...names];
}
