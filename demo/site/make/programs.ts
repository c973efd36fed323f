// Decides which programs of the documents a page can run, and how to run the others.
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
  /** The page runs it as a module, or as a whole page. `undefined` if it can't. */
  readonly kind?: 'module' | 'page';
  /** The command to run it elsewhere. */
  readonly command?: string;
}

const withoutComments = (code: string): string => code.replace(/(^|\s)\/\/.*$/gm, '');

/** Browsers refuse keys, and lack the names of other platforms. */
const needsServer = (code: string): boolean =>
  /\bapiKey:|\bprocess\.|\bDeno\.|\bBuffer\b/.test(withoutComments(code));

function commandFor(language: string, imports: readonly string[], code: string): string {
  const isWorker = /^export default \{\n\s+async fetch\(/m.test(code);
  const [syntax, library] = language.split(' ');
  const others = imports.filter((name) => !/^(node:|\.|paystate)/.test(name));
  const names = [...new Set(others.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]))];
  if (syntax === 'html') return 'npx serve';
  if (library) return `npm install paystate ${names.join(' ')}`.trim();
  if (imports.includes('paystate/relay') || isWorker) return 'npx wrangler dev';
  return `node program.${syntax === 'js' ? 'mjs' : 'ts'}`;
}

/** Returns how to run a fence, or `undefined` if it's no program. */
export function programOf(language: string, code: string): Program | undefined {
  const [syntax = ''] = language.split(' ');
  if (!['ts', 'tsx', 'js', 'html', 'svelte'].includes(syntax)) return undefined;
  const imports = specifiersOf(code.replace(/^\s+/gm, ''));
  if (language === 'html')
    return imports.every((name) => name.endsWith(ONE_FILE)) && code.includes('createSandbox')
      ? { kind: 'page' }
      : { command: commandFor(language, imports, code) };
  const isRunnable =
    ['ts', 'js'].includes(language) &&
    imports.every((name) => packages.includes(name)) &&
    !needsServer(code);
  return isRunnable ? { kind: 'module' } : { command: commandFor(language, imports, code) };
}

const quoted = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');

/** Puts a fence into the element that runs it, or that shows the command. */
export function withElement(fence: string, program: Program): string {
  const attribute = program.kind
    ? `kind="${program.kind}"`
    : `command="${quoted(program.command ?? '')}"`;
  return `<manual-program ${attribute}>\n\n${fence}\n\n</manual-program>`;
}

const FENCE = /^(`{3,})([^\n`]*)\n([\s\S]*?)^\1[ \t]*$/gm;

/** Returns the text of a page with every program in its element. */
export const withPrograms = (text: string): string =>
  text.replace(FENCE, (fence: string, _marks: string, language: string, code: string) => {
    const program = programOf(language.trim(), code);
    return program ? withElement(fence, program) : fence;
  });
