// The examples of the doc comments, each as a program: what it names and does not make itself comes from the entries or the world.
import { entries } from './entries.ts';
import { sourceFiles, textOf } from './source.ts';

export interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

const COMMENT = /\/\*\*[\s\S]*?\*\//g;

/** All examples below src, as they stand there; the interfaces repeat those of the operations. */
const files = sourceFiles.filter((file) => !/^resources\/[^/]+\/interface\.ts$/.test(file));
export const examples: readonly Example[] = files.flatMap((file) => {
  const text = textOf(file);
  return [...text.matchAll(COMMENT)]
    .filter(([comment]) => comment.includes('@example'))
    .map(({ 0: comment, index }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      code: comment
        .slice(comment.indexOf('@example') + 8, -2)
        .split('\n')
        .map((line) => line.replace(/^\s*\* ?/, ''))
        .join('\n')
        .trim(),
    }));
});

/** Names that mean another thing in these examples than elsewhere. */
const OTHERWISE: readonly (readonly [RegExp, string, string])[] = [
  [/xchangeQuote/, 'quote', 'exchangeQuote'],
  [/quote\.lnInvoice/, 'quote', 'invoiceQuote'],
  [/receiveRequests|watchReceives/, 'request', 'receiveRequest'],
  [/metadataHash|lnurlCallback/, 'request', 'payRequest'],
  [/(bitcoinUri\w*)\(\{ address/, 'invoice', 'lnInvoice'],
  [/decodeBolt11\(invoice\)/, 'invoice', 'lnInvoice'],
  [/fallbackAddress|isBolt11Expired/, 'invoice', 'decoded'],
  [/oauth\.visit/, 'url', 'loginUrl'],
  [/hint\.textContent/, 'hint', 'element'],
];

const DECLARED = /\b(?:const|let|class|function)\s+(\{[^=]*?\}|\[[^=]*?\]|\w+)/g;
const wordsIn = (text: string): readonly string[] => text.match(/[A-Za-z_$][\w$]*/g) ?? [];

/** Names that an example uses, without what follows a dot, is a key, or is in quotes. */
const usedIn = (code: string): ReadonlySet<string> => {
  const bare = code
    .replace(/'(?:\\.|[^'\\\n])*'/g, "''")
    .replace(/\/\/.*$/gm, '')
    .replace(/\?\.\w+|(?<!\.)\.\w+/g, '');
  return new Set(wordsIn(bare.replace(/\b\w+:(?!:)/g, ' ')));
};

/** Finds the entry that each name comes from; the one that is next to the file goes first. */
const importsOf = (
  names: readonly string[],
  file: string,
  doors: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] => {
  const room = `paystate/${file.split('/')[0]}`;
  const order = [...doors.keys()].sort((a, b) => Number(b === room) - Number(a === room));
  const found = new Map<string, string[]>();
  for (const name of names) {
    const door = order.find((each) => doors.get(each)!.has(name));
    if (door) found.set(door, [...(found.get(door) ?? []), name]);
  }
  return [...found].map(([door, theirs]) => `import { ${theirs.join(', ')} } from '${door}';`);
};

/** Resolves to the exports of every entry by name; types are found by the compiler alone. */
export async function doors(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named: (readonly [string, object])[] = [];
  for (const { specifier } of entries) named.push([specifier, (await import(specifier)) as object]);
  named.push(['rxjs', await import('rxjs')]); // last: what both have is ours
  return new Map(named.map(([specifier, module]) => [specifier, new Set(Object.keys(module))]));
}

/** A platform's objects and a page's are not here: such examples are compiled, and run elsewhere. */
export const isElsewhere = ({ code }: Example): boolean =>
  /\b(ctx|env|state: DurableObjectState|element)\b/.test(code);

/** The text of a program that exports the example as `run(world)`; `undefined` where it is of nothing that is published. */
export function programOf(
  { file, code }: Example,
  published: ReadonlyMap<string, ReadonlySet<string>>,
  inWorld: ReadonlySet<string>,
): string | undefined {
  const imports = code.split('\n').filter((line) => line.startsWith('import '));
  const body = code
    .split('\n')
    .filter((line) => !line.startsWith('import '))
    .join('\n');
  const declared = new Set([...body.matchAll(DECLARED)].flatMap(([, names]) => wordsIn(names!)));
  const used = [...usedIn(body)].filter(
    (name) => !declared.has(name) && !imports.some((line) => wordsIn(line).includes(name)),
  );
  const otherwise = OTHERWISE.filter(
    ([pattern, name]) => pattern.test(body) && used.includes(name),
  );
  const others = new Map(otherwise.map(([, name, other]) => [name, other]));
  const exported = used.filter(
    (name) =>
      !others.has(name) &&
      [...published.values()].some((names) => names.has(name)) &&
      !(inWorld.has(name) && !isCalled(body, name)),
  );
  const given = used.filter(
    (name) => !others.has(name) && !exported.includes(name) && inWorld.has(name),
  );
  if (exported.length + imports.length === 0 && given.length + others.size === 0) return undefined;
  const taken = [...given, ...[...others].map(([name, other]) => `${other}: ${name}`)];
  const isClass = body.startsWith('export class');
  const isValue =
    !body.includes('\n') && !/^(const|for|if|await|on:)\b/.test(body) && !body.includes(';');
  const inner = isValue ? `return (${body.replace(/ \/\/.*/, '')});` : isClass ? '' : body;
  return [
    ...importsOf(exported, file, published),
    ...imports,
    "import type { DurableObjectState, Env, World } from '../../test/house/example-world.ts';",
    ...(isClass ? [`declare const ship: World['ship'], accountOf: World['accountOf'];`, body] : []),
    `export const run = async ({ ${isClass ? '' : taken.join(', ')} }: World): Promise<unknown> => {`,
    inner,
    'return undefined;',
    '};',
    'export type Used = [DurableObjectState, Env];',
  ].join('\n');
}

const isCalled = (body: string, name: string): boolean =>
  new RegExp(`(?<![.\\w])${name}\\(`).test(body);
