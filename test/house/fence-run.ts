// Runs a program of a document inside a test, in whatever runtime the test runs in, and holds it to
// what it says that it prints.
import { callsService, playedFetch } from './played-service.ts';
import { falseClaims } from './printed.ts';

/** Programs go on printing after their last line, such as by a watch. */
const PRINTS_WITHIN_MS = 5_000;
const STEP_MS = 20;

const isPlain = (value: object): boolean =>
  [Object.prototype, null].includes(Object.getPrototypeOf(value));

const keyOf = (key: string): string => (/^[\w$]+$/.test(key) ? key : `'${key}'`);

function partsOf(value: object): string {
  if (Array.isArray(value)) return value.length > 0 ? `[ ${value.map(inner).join(', ')} ]` : '[]';
  const parts = Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${inner(one)}`);
  const text = parts.length > 0 ? `{ ${parts.join(', ')} }` : '{}';
  const name = Object.getPrototypeOf(value) === null ? '[Object: null prototype]' : undefined;
  const title = isPlain(value) ? name : (value.constructor as { readonly name: string }).name;
  return title ? `${title} ${text}` : text;
}

/** A value inside another one, as Node's console writes it. */
function inner(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `[Function: ${value.name}]`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Error) return value.stack ?? String(value);
  return typeof value === 'object' && value !== null ? partsOf(value) : String(value);
}

/** The runtimes' consoles write values in ways of their own; what is compared is the same text. */
const lineOf = (values: readonly unknown[]): string =>
  values.map((value) => (typeof value === 'string' ? value : inner(value))).join(' ');

const later = setTimeout;

/** Loads the program by `load`, and rejects where it does not print what `code` says. */
export async function runFence(code: string, load: () => Promise<unknown>): Promise<void> {
  const [say, call] = [console.log, globalThis.fetch];
  const lines: string[] = [];
  console.log = (...values) => void lines.push(lineOf(values));
  if (callsService(code)) globalThis.fetch = playedFetch();
  try {
    await load();
    const open = () => falseClaims(code, lines.join('\n'));
    for (let ms = 0; ms < PRINTS_WITHIN_MS && open().length > 0; ms += STEP_MS)
      await new Promise((resolve) => void later(resolve, STEP_MS));
    const [claim] = open();
    if (claim !== undefined)
      throw new Error(`it says that it prints "${claim}", and prints:\n${lines.join('\n')}`);
  } finally {
    console.log = say;
    globalThis.fetch = call;
  }
}
