// The output that a program of the documents promises: `console.log(…); // true` and the like. `…`
// stands for any text, an explanation may follow after a colon, and `PENDING, PAID` are two lines
// that one statement prints.

const CLAIM = /console\.log\(.*\)[;,)\s}]*\s\/\/ (.+)$/;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .split('…')
      .map((part) => escaped(part.trim()))
      .join('.*?'),
  );

/** The ways to read a claim: as it stands, without its explanation, and each of these as several lines. */
function readingsOf(claim: string): readonly RegExp[] {
  const texts = [claim, claim.replace(/: .*$/, '')];
  return [...texts, ...texts.map((text) => text.replaceAll(', ', ' … '))].map(patternOf);
}

/**
 * Lists the output that a program promised and did not print; each printed text stands for one
 * claim.
 */
export function falseClaims(code: string, printed: string): readonly string[] {
  let left = oneLine(printed);
  return code.split('\n').flatMap((line) => {
    const [, claim] = CLAIM.exec(line) ?? [];
    if (claim === undefined) return [];
    const reading = readingsOf(oneLine(claim)).find((one) => one.test(left));
    if (!reading) return [claim];
    left = left.replace(reading, '|');
    return [];
  });
}
