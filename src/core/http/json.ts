/**
 * What a text of JSON says; `undefined` where it is none. `redact` cuts out what must not reach an
 * error.
 */
export function parse(text: string, redact?: (json: string) => string): unknown {
  try {
    const json = JSON.parse(text) as unknown;
    return redact ? (JSON.parse(redact(JSON.stringify(json))) as unknown) : json;
  } catch {
    return undefined;
  }
}

/** The value if it is an object. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The ids in a response that cannot be used, for a search for what it was about. */
export function idsIn(json: unknown): Record<string, unknown> | undefined {
  const ids = Object.entries(objectIn(json) ?? {}).filter(
    ([name, id]) =>
      /^(\w{1,40}I|i)d$/.test(name) && typeof id === 'string' && /^[\w.-]{1,100}$/.test(id),
  );
  return ids.length === 0 ? undefined : Object.fromEntries(ids.slice(0, 10));
}
