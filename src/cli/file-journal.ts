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
import type { Journal, JournalEntry, Timed } from '../sandbox/host/journal.ts';
import type { SandboxAccount, Strictness } from '../sandbox/index.ts';

/** What a file's world is made of: with anything else its entries would make another one. */
interface Making {
  /** Of this package. */
  readonly version: string;
  readonly seed: string;
  readonly rateLimits: 'production' | 'test';
  readonly accounts?: readonly SandboxAccount[];
  readonly strict?: Strictness;
}

/** A journal in a file, and what its world is made of. */
interface FileJournal extends Journal {
  readonly making: Making;
}

const KIND = 'paystate-sandbox';
const HEAD = `{"kind":"${KIND}"`;

/** What keeps a file from being used, for the person at the keyboard. */
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
  const {
    lines: [first],
    length,
    torn,
  } = linesOf(path);
  if (first === undefined && !HEAD.startsWith(torn.slice(0, HEAD.length)))
    throw new UnfitFile(`${path} is not a file of a sandbox; name another one`);
  const making: Making =
    first === undefined
      ? { version, seed: '1', rateLimits: 'production', ...wished }
      : fitting(first, path, version, wished);
  fchmodSync(file, 0o600);
  ftruncateSync(file, length);
  let size = length;

  function write(line: object): void {
    if (fstatSync(file).size !== size)
      throw new UnfitFile(`${path} was changed by another process; only one sandbox may use it`);
    const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
    for (let done = 0; done < bytes.byteLength; ) done += writeSync(file, bytes, done);
    fdatasyncSync(file);
    size += bytes.byteLength;
  }

  const begin = (): void => write({ kind: KIND, ...making });
  if (first === undefined) begin();
  return {
    making,
    read: () =>
      linesOf(path)
        .lines.slice(1)
        .map((line, index) => parseLine(line, path, index + 2) as Timed<JournalEntry>),
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
  return {
    lines: bytes.subarray(0, length).toString('utf8').split('\n').slice(0, -1),
    length,
    torn: bytes.subarray(length).toString('utf8'),
  };
}

function fitting(
  line: string,
  path: string,
  version: string,
  wished: Partial<Omit<Making, 'version'>>,
): Making {
  const { kind, ...making } = parseLine(line, path, 1) as Making & { readonly kind?: string };
  if (kind !== KIND) throw new UnfitFile(`${path} is not a file of a sandbox; name another one`);
  const other = Object.entries({ version, ...wished }).find(
    ([name, value]) => JSON.stringify(making[name as keyof Making]) !== JSON.stringify(value),
  );
  if (!other) return making;
  const [name, value] = other;
  const whose =
    typeof value === 'string'
      ? `is of ${name} "${String(making[name as keyof Making])}", not "${value}"`
      : `was made with other ${name === 'strict' ? 'assumptions' : name}`;
  throw new UnfitFile(
    `${path} ${whose}, and would be another world; ` +
      `${name === 'version' ? `use that version` : `leave --${OPTION[name] ?? name} out`}, or name another file`,
  );
}

/** Options whose names are others than those of the file. */
const OPTION: Readonly<Record<string, string>> = { rateLimits: 'rate-limits' };

function parseLine(line: string, path: string, number: number): object {
  try {
    const read: unknown = JSON.parse(line);
    if (typeof read === 'object' && read !== null) return read;
  } catch {
    // said below
  }
  throw new UnfitFile(`${path} is not a file of a sandbox: line ${number} cannot be read`);
}
