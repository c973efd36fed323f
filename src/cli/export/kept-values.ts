import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Values that were read once and do not change any more, in a file: one JSON value a line. */
export interface KeptValues {
  get(id: string): unknown;
  ids(kind: string): readonly string[];
  keep(kind: string, id: string, value: object): void;
}

interface Row {
  readonly kind: string;
  readonly id: string;
  readonly value: object;
}

/** Absent `path`: nothing is kept. */
export function openKeptValues(path: string | undefined): KeptValues {
  const rows = new Map<string, Row>();
  if (path !== undefined && existsSync(path))
    for (const row of rowsOf(readFileSync(path, 'utf8'))) rows.set(row.id, row);
  return {
    get: (id) => rows.get(id)?.value,
    ids: (kind) => [...rows.values()].filter((row) => row.kind === kind).map(({ id }) => id),
    keep(kind, id, value) {
      rows.set(id, { kind, id, value });
      if (path !== undefined)
        appendFileSync(path, `${JSON.stringify({ kind, id, value })}\n`, { mode: 0o600 });
    },
  };
}

/** A crash may have cut the last line: what it held is read again. */
function rowsOf(text: string): readonly Row[] {
  return text.split('\n').flatMap((line) => {
    try {
      const row = JSON.parse(line) as Row;
      return typeof row?.id === 'string' && typeof row.value === 'object' ? [row] : [];
    } catch {
      return [];
    }
  });
}
