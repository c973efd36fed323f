/**
 * Ids as they may stand in a path and in a token: nothing that could end a segment, or mean another
 * one.
 */
export function isPlainId(id: string): boolean {
  return /^[\w-]{1,64}$/.test(id);
}
