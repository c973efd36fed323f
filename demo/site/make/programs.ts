// Which programs of the documents a page can run, and what the others need.
import { entries } from '../../../test/house/entries.ts';
import { specifiersOf } from '../../../test/house/source.ts';

/** Entries that need a server, a framework, or a page of their own. */
const NOT_IN_A_PAGE = new Set([
  'paystate/stores/file',
  'paystate/host',
  'paystate/relay',
  'paystate/react',
  'paystate/vue',
  'paystate/devtools',
]);

/** Everything that a program on the site can import. */
export const packages: readonly string[] = [
  ...entries.map(({ specifier }) => specifier).filter((name) => !NOT_IN_A_PAGE.has(name)),
  'rxjs',
  'valibot',
];

const ONE_FILE = 'paystate.min.js';

export interface Program {
  /** How the page runs it: as a module of its own, or as a whole page; `undefined` where it cannot. */
  readonly kind?: 'module' | 'page';
  /** What a person does where the page cannot run it. */
  readonly command?: string;
}

const withoutComments = (code: string): string => code.replace(/(^|\s)\/\/.*$/gm, '');

/** A key is refused in a page, and a platform's own names are not there. */
const needsServer = (code: string): boolean =>
  /\bapiKey:|\bprocess\.|\bDeno\.|\bBuffer\b/.test(withoutComments(code));

function commandFor(language: string, imports: readonly string[]): string {
  const [syntax, library] = language.split(' ');
  const others = imports.filter((name) => !/^(node:|\.|paystate)/.test(name));
  const names = [...new Set(others.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]))];
  if (syntax === 'html') return 'npx serve';
  if (library) return `npm install paystate ${names.join(' ')}`.trim();
  if (imports.includes('paystate/relay')) return 'npx wrangler dev';
  return `node program.${syntax === 'js' ? 'mjs' : 'ts'}`;
}

/** How a fence is run; `undefined` where it is no program. */
export function programOf(language: string, code: string): Program | undefined {
  const [syntax = ''] = language.split(' ');
  if (!['ts', 'tsx', 'js', 'html', 'svelte'].includes(syntax)) return undefined;
  const imports = specifiersOf(code.replace(/^\s+/gm, ''));
  if (language === 'html')
    return imports.every((name) => name.endsWith(ONE_FILE)) && code.includes('createSandbox')
      ? { kind: 'page' }
      : { command: commandFor(language, imports) };
  const isRunnable =
    ['ts', 'js'].includes(language) &&
    imports.every((name) => packages.includes(name)) &&
    !needsServer(code);
  return isRunnable ? { kind: 'module' } : { command: commandFor(language, imports) };
}

const quoted = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');

/** A fence inside the element that runs it, or that says how to. */
export function withElement(fence: string, program: Program): string {
  const attribute = program.kind
    ? `kind="${program.kind}"`
    : `command="${quoted(program.command ?? '')}"`;
  return `<manual-program ${attribute}>\n\n${fence}\n\n</manual-program>`;
}

const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;

/** The text of a page with every program inside its element. */
export const withPrograms = (text: string): string =>
  text.replace(FENCE, (fence: string, _marks: string, language: string, code: string) => {
    const program = programOf(language.trim(), code);
    return program ? withElement(fence, program) : fence;
  });
