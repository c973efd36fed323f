// Wraps long comments of the code that the site shows. The formatter leaves comments as they are.

/** Breaks a text into lines of at most `width` characters. A longer word gets its own line. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}

/** Matches a line that is only a comment. Captures its indentation, its mark and its text. */
const COMMENT = /^( *)(\/\/|\*) (?! |@|\/|- )(.+)$/;
const ONE_LINE_BLOCK = /^( *)\/\*\* (.+) \*\/$/;
const TRAILING = /^( *)(\S.*?) \/\/ (.+)$/;

/** Splits each one-line doc comment that is too long into three lines. */
const withOpenBlocks = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => {
    const [, indent, text] = ONE_LINE_BLOCK.exec(line) ?? [];
    if (text === undefined || line.length <= width) return [line];
    return [`${indent}/**`, `${indent} * ${text}`, `${indent} */`];
  });

const isOutsideQuotes = (code: string): boolean =>
  ["'", '"', '`'].every((quote) => code.split(quote).length % 2 === 1);

/**
 * Moves a comment at the end of a long line above the line. After `console.log`, the comment is the
 * output, so it moves below.
 */
const withoutLongEnds = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => {
    const [, indent = '', code = '', text] = TRAILING.exec(line) ?? [];
    const isEnd = text !== undefined && !/^(\/\/|\*|\/\*)/.test(code) && isOutsideQuotes(code);
    if (!isEnd || line.length <= width) return [line];
    const head = `${indent}// `;
    const comment = wrap(text, width - head.length).map((part) => head + part);
    const statement = `${indent}${code}`;
    return /\bconsole\.\w+\(/.test(code) ? [statement, ...comment] : [...comment, statement];
  });

/** Wraps each group of adjacent comment lines that contains a long line. */
function withWrappedRuns(lines: readonly string[], width: number): readonly string[] {
  const result: string[] = [];
  for (let n = 0; n < lines.length; n += 1) {
    const [, indent, mark] = COMMENT.exec(lines[n]!) ?? [];
    if (mark === undefined) {
      result.push(lines[n]!);
      continue;
    }
    const start = n;
    const texts: string[] = [];
    for (; n < lines.length; n += 1) {
      const found = COMMENT.exec(lines[n]!);
      if (!found || found[1] !== indent || found[2] !== mark) break;
      texts.push(found[3]!);
    }
    const run = lines.slice(start, n);
    n -= 1;
    const head = `${indent}${mark} `;
    if (run.every((line) => line.length <= width)) result.push(...run);
    else result.push(...wrap(texts.join(' '), width - head.length).map((text) => head + text));
  }
  return result;
}

/** Returns code whose comments fit into `width` characters. */
export function withNarrowComments(code: string, width: number): string {
  const opened = withOpenBlocks(code.split('\n'), width);
  return withoutLongEnds(withWrappedRuns(opened, width), width).join('\n');
}
