// Decides which programs of the documents run in a page, and finds the command for the others.
import { FENCE } from '../../../test/house/documents.ts';
import { entries } from '../../../test/house/entries.ts';
import { specifiersOf } from '../../../test/house/source.ts';

/**
 * Entry points that programs on the site can't use, because they need a server, a framework or a
 * document.
 */
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
  /** Whether the program runs as a module or as a whole page. Absent if a page can't run it. */
  readonly kind?: 'module' | 'page';
  /** The command that runs the program outside the browser. */
  readonly command?: string;
}

const withoutComments = (code: string): string => code.replace(/(^|\s)\/\/.*$/gm, '');

/** The SDK rejects API keys in a browser, and browsers lack the globals of other platforms. */
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

/** Returns how to run a fenced code block, or `undefined` if it isn't a program. */
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

/** Wraps a fenced code block in the element that runs the program or shows its command. */
export function withElement(fence: string, program: Program): string {
  const attribute = program.kind
    ? `kind="${program.kind}"`
    : `command="${quoted(program.command ?? '')}"`;
  return `<manual-program ${attribute}>\n\n${fence}\n\n</manual-program>`;
}

/** Wraps every program of a page in a `<manual-program>` element. */
export const withPrograms = (text: string): string =>
  text.replace(FENCE, (fence: string, _marks: string, language: string, code: string) => {
    const program = programOf(language.trim(), code);
    return program ? withElement(fence, program) : fence;
  });
