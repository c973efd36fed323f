/** Characters that control a terminal, break a line, change the text direction or are invisible. */
const ACTING =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Makes untrusted text safe to print in a terminal or a table. */
export function printable(text: string): string {
  return text.replace(ACTING, '\uFFFD');
}

/**
 * Serializes a value as JSON that is safe to print in a terminal and parses back to the same value.
 */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(ACTING, (found) =>
    Array.from({ length: found.length }, (_, at) => found.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
