/**
 * Ids as they may stand in a path and in a token: nothing that could end a segment, or mean another
 * one.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The form in which ids are compared: the service prints its UUIDs in lower case and takes them in
 * either case. Any other text is compared as it is.
 */
export function idKey(id: string): string {
  return UUID.test(id) ? id.toLowerCase() : id;
}

/** Two spellings of one id. */
export function isSameId(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}
