const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text has the form of the service's ids, in either case. */
export function isId(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is stored: wherever one is given, capital letters mean the same. */
export function idFrom(text: string): string {
  return isId(text) ? text.toLowerCase() : text;
}
