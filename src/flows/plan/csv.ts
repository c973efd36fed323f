/** A cell and the line that it begins in. */
interface CsvCell {
  readonly text: string;
  readonly line: number;
  /** Why it cannot be read. */
  readonly mistake?: string | undefined;
}

/** One record: its cells in order. */
export type CsvRecord = readonly CsvCell[];

const PLAIN = /[^,\r\n]*/y;
const LINE_END = /\r\n|\r|\n/g;

/**
 * Reads comma-separated values by RFC 4180: cells in quotation marks hold commas, line ends and
 * doubled quotation marks. A byte order mark is left out, and so are lines without anything. What
 * cannot be read is a cell with its mistake; an open quotation mark takes the rest of the text.
 */
export function* readCsv(text: string): Generator<CsvRecord, void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const cells: CsvCell[] = [];
    for (let hasMore = true; hasMore; ) {
      const { text: value, mistake, end } = readCell(text, at);
      cells.push({ text: value, line, mistake });
      if (text[at] === '"') line += text.slice(at, end).match(LINE_END)?.length ?? 0;
      hasMore = text[end] === ',';
      at = hasMore ? end + 1 : end;
    }
    const isBlank = cells.length === 1 && cells[0]!.text === '' && !cells[0]!.mistake;
    if (!isBlank) yield cells;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line++;
  }
}

interface ReadCell extends Omit<CsvCell, 'line'> {
  /** Where the comma or the line end behind it stands. */
  readonly end: number;
}

function readCell(text: string, at: number): ReadCell {
  if (text[at] === '"') return readQuoted(text, at);
  const end = plainEnd(text, at);
  const plain = text.slice(at, end);
  const mistake = plain.includes('"')
    ? 'must stand in quotation marks, as it holds one (which is doubled then)'
    : undefined;
  return { text: plain, end, mistake };
}

function readQuoted(text: string, at: number): ReadCell {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1)
    return { text: '', end: text.length, mistake: 'has no quotation mark at its end' };
  const end = plainEnd(text, close);
  const mistake = end > close + 1 ? 'goes on behind its quotation mark' : undefined;
  return { text: text.slice(at + 1, close).replaceAll('""', '"'), end, mistake };
}

function plainEnd(text: string, at: number): number {
  PLAIN.lastIndex = at;
  return at + PLAIN.exec(text)![0].length;
}
