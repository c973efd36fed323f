// The manual: which chapter explains which entry. The table of the root README is made of this.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { budgets } from './budgets.ts';
import { type Entry, entries } from './entries.ts';
import { code, table } from './markdown.ts';
import { root } from './source.ts';

/** The purpose of each entry, in few words. */
const PURPOSES: Readonly<Record<string, string>> = {
  paystate: 'the client: operations, lists, errors, watches, rate limits',
  'paystate/operations': 'the operations as functions of a connection, for small pages',
  'paystate/operations/…': 'those of one resource, such as `paystate/operations/invoices`',
  'paystate/rx': 'the watches as RxJS Observables',
  'paystate/flows': 'pays once, by a journal; a checkout to draw yourself',
  'paystate/webhooks': 'checks signatures, keeps events, runs your handlers',
  'paystate/doctor': 'says what is wrong with a set-up',
  'paystate/relay': 'pages without an API key, through a Worker with Durable Objects',
  'paystate/host': 'the relay in Node, Deno or Bun, on SQLite or PostgreSQL',
  'paystate/sandbox': 'the whole service in memory, with virtual time and faults',
  'paystate/testing': 'valid values for tests, signed webhooks, a recorder',
  'paystate/oauth': 'login with OAuth for the accounts of others',
  'paystate/stores': 'where payments, logins and webhooks are kept',
  'paystate/stores/file': 'the same in files, for Node, Deno and Bun',
  'paystate/schemas': 'the schemas of all requests and responses; drift of the service',
  'paystate/money': 'exact amounts: calculate, convert, format',
  'paystate/lightning': 'reads BOLT11, LNURL, addresses and `bitcoin:` URIs',
  'paystate/lightning/signature': 'checks and writes signatures of BOLT11 texts',
  'paystate/react': 'hooks for React: a watch, an invoice, a checkout',
  'paystate/vue': 'refs for Vue: a watch, an invoice, a checkout',
  'paystate/elements': 'the checkout as a custom element, QR codes as SVG',
  'paystate/devtools': 'shows what a client does: requests, watches, limits, a recording',
  'paystate/endpoints': 'all requests of the service as data',
  'paystate/messages/de': 'texts in German',
  'paystate/messages/en': 'texts in English',
  'paystate/messages/es': 'texts in Spanish',
  'paystate/messages/fr': 'texts in French',
};

/** The room of an entry; files at the top of `src` are explained by the rooms that they gather. */
function roomOf({ javascript }: Entry): string {
  const [, first = '', rest] = javascript.split('/');
  if (first === 'generated') return 'resources';
  return rest ? first : first === 'index.js' ? 'core' : 'resources';
}

/** The chapter that explains an entry, from the top of the project. */
export const chapterOf = (entry: Entry): string => `src/${roomOf(entry)}/README.md`;

/** The entries of single resources have one row for all of them; those of frameworks are in the row of the elements. */
export const rowOf = ({ specifier, isForFramework }: Entry): string =>
  isForFramework ? 'paystate/elements' : specifier.replace(/^(paystate\/operations\/).+/, '$1…');

/** Returns the purpose of an entry. */
export const purposeOf = (entry: Entry): string =>
  PURPOSES[rowOf(entry)] ?? 'not described: test/house/chapters.ts';

const titleOf = (chapter: string): string => {
  const file = join(root, chapter);
  return existsSync(file) ? /^# (.*)$/m.exec(readFileSync(file, 'utf8'))![1]! : dirname(chapter);
};

/** Every entry with what it is for and its chapter, whose title ends at its colon here. */
export function entryTable(): string {
  const rows = new Map(
    entries.map((entry) => {
      const [title] = titleOf(chapterOf(entry)).split(':');
      return [
        rowOf(entry),
        [code(rowOf(entry)), purposeOf(entry), `[${title}](${chapterOf(entry)})`],
      ];
    }),
  );
  return table(['entry', 'what it is for', 'chapter'], [...rows.values()]);
}

/** Writes the bound of each line of the budgets; the size test measures them. */
export function sizeTable(): string {
  const rows = budgets.map(({ kilobytes, live, code: line }) => [
    code(line.replace(/;?( globalThis.*)?$/, '')),
    kilobytes.toFixed(1),
    live ? `${live.kilobytes.toFixed(1)} ${live.until}` : '',
  ]);
  return table(['import', 'kB at most', 'with what is loaded later'], rows);
}

/** Entries without a purpose, and purposes without an entry. */
export const undescribed = (): readonly string[] => {
  const names = entries.map(rowOf);
  return [
    ...names.filter((name) => !(name in PURPOSES)),
    ...Object.keys(PURPOSES).filter((name) => !names.includes(name)),
  ];
};
