/** Plain data with the same content. A member that is `undefined` counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!sameContent((a as Loose)[name], (b as Loose)[name])) return false;
  return true;
}

type Loose = Readonly<Record<string, unknown>>;
