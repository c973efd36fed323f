import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import type { Journal, JournalEntry, Timed } from '../sandbox/host/hosted-sandbox.ts';
import type { Assumptions, SandboxAccount, Strictness } from '../sandbox/index.ts';

/** The options that make a file's world: with anything else its entries would make another one. */
interface Making {
  /** Version of this package. */
  readonly version: string;
  readonly seed: string;
  readonly rateLimits: 'production' | 'test';
  readonly accounts?: readonly SandboxAccount[];
  readonly strict?: Strictness;
  readonly assume?: Assumptions;
}

/** A journal in a file, and what its world is made of. */
interface FileJournal extends Journal {
  readonly making: Making;
}

const KIND = 'paystate-sandbox';
const HEAD = `{"kind":"${KIND}"`;

/** A world of its own: else its ids would be those of the world before, which others have kept. */
export function newSeed(): string {
  return randomBytes(8).toString('hex');
}

/** Says why a file cannot be used, for the person at the keyboard. */
class UnfitFile extends Error {}

/**
 * Opens a file of one line for each entry, or makes it, for its owner's eyes only. What is not
 * `wished` is taken from the file. A last line that a crash has torn is cut off: its request was
 * not answered yet.
 *
 * @throws Error where the file is something else, of another version, or of another seed or rate
 * table than wished
 */
export function openFileJournal(
  path: string,
  version: string,
  wished: Partial<Omit<Making, 'version'>>,
): FileJournal {
  const file = openSync(path, 'a+', 0o600);
  try {
    return journalOf(file, path, version, wished);
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
}

function journalOf(
  file: number,
  path: string,
  version: string,
  wished: Partial<Omit<Making, 'version'>>,
): FileJournal {
  const { lines, length, torn } = linesOf(path);
  const [first] = lines;
  if (first === undefined && !HEAD.startsWith(torn.slice(0, HEAD.length)))
    throw new UnfitFile(`${path} is not a state file of a sandbox; choose another one`);
  const making: Making =
    first === undefined
      ? { version, seed: newSeed(), rateLimits: 'production', ...wished }
      : fitting(first, path, version, wished);
  const entriesIn = (all: readonly string[]): Timed<JournalEntry>[] =>
    all.slice(1).map((line, index) => entryOf(line, path, index + 2));
  entriesIn(lines); // a file that cannot be read stays as it is
  fchmodSync(file, 0o600);
  ftruncateSync(file, length);
  let size = length;

  function write(line: object): void {
    if (fstatSync(file).size !== size)
      throw new UnfitFile(
        `${path} was changed by another process; only one sandbox may use it at a time`,
      );
    const text = JSON.stringify(line);
    if (size > 0) entryOf(text, path, 0); // nothing is written that could not be read
    const bytes = new TextEncoder().encode(`${text}\n`);
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done);
    fdatasyncSync(file);
    size += bytes.byteLength;
  }

  const begin = (): void => write({ kind: KIND, ...making });
  if (first === undefined) begin();
  return {
    making,
    read: () => entriesIn(linesOf(path).lines),
    append: write,
    clear() {
      ftruncateSync(file, (size = 0));
      begin();
    },
  };
}

/** The lines that end, how many bytes they are, and what follows them. */
function linesOf(path: string): {
  readonly lines: readonly string[];
  readonly length: number;
  readonly torn: string;
} {
  const bytes = readFileSync(path);
  const length = bytes.lastIndexOf(10) + 1;
  const lines: string[] = []; // one by one: together they may be longer than a text can be
  for (let from = 0, end = 0; from < length; from = end + 1) {
    end = bytes.indexOf(10, from);
    lines.push(bytes.toString('utf8', from, end));
  }
  return { lines, length, torn: bytes.subarray(length).toString('utf8') };
}

function fitting(
  line: string,
  path: string,
  version: string,
  wished: Partial<Omit<Making, 'version'>>,
): Making {
  const { kind, ...making } = parseLine(line, path, 1) as Making & { readonly kind?: string };
  if (kind !== KIND)
    throw new UnfitFile(`${path} is not a state file of a sandbox; choose another one`);
  const other = Object.entries({ version, ...wished }).find(
    ([name, value]) => JSON.stringify(making[name as keyof Making]) !== JSON.stringify(value),
  );
  if (!other) return making;
  const [name, value] = other;
  const whose =
    typeof value === 'string'
      ? `is of ${name} "${String(making[name as keyof Making])}", not "${value}"`
      : `was made with other ${name === 'strict' || name === 'assume' ? 'assumptions' : name}`;
  throw new UnfitFile(
    `${path} ${whose}, so it would be another world; ` +
      `${name === 'version' ? `use that version` : `leave --${OPTION[name] ?? name} out`}, ` +
      'or choose another file',
  );
}

/** Options whose names are others than those of the file. */
const OPTION: Readonly<Record<string, string>> = { rateLimits: 'rate-limits' };

const isText = (value: unknown): boolean => typeof value === 'string';

/** The members of an entry of each kind, without its times. */
const ENTRIES: Readonly<Record<string, (entry: Readonly<Record<string, unknown>>) => boolean>> = {
  start: ({ seed }) => isText(seed) || Number.isFinite(seed),
  advance: () => true,
  delivery: ({ number, result }) =>
    Number.isSafeInteger(number) && (isText(result) || Number.isFinite(result)),
  request: ({ method, url, headers, body }) =>
    [method, url, body].every(isText) &&
    URL.canParse(url as string) &&
    typeof headers === 'object' &&
    headers !== null,
};

function entryOf(line: string, path: string, number: number): Timed<JournalEntry> {
  const entry = parseLine(line, path, number) as Readonly<Record<string, unknown>>;
  const { is, at, real } = entry;
  const isKnown =
    isText(is) && Object.hasOwn(ENTRIES, is as string) && ENTRIES[is as string]!(entry);
  if (isKnown && Number.isFinite(at) && Number.isFinite(real))
    return entry as unknown as Timed<JournalEntry>;
  throw new UnfitFile(
    `${path} was not changed: its line ${number} is not an entry of a sandbox; choose another file`,
  );
}

function parseLine(line: string, path: string, number: number): object {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // said below
  }
  throw new UnfitFile(
    `${path} is not a state file of a sandbox: line ${number} cannot be read. It was not ` +
      'changed; choose another one',
  );
}
