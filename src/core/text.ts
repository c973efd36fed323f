/**
 * Characters that act instead of being read: they control a terminal, break a line, turn the
 * direction of what follows, or can't be seen at all.
 */
const ACTING =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Makes a text that others wrote safe for a line of a terminal or a table. */
export function printable(text: string): string {
  return text.replace(ACTING, '\uFFFD');
}

/** Makes JSON safe for a terminal, and leaves its values as they are. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(ACTING, (found) =>
    Array.from({ length: found.length }, (_, at) => found.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
