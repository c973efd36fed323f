// Makes tabs of the start page's first program, with the same steps for other platforms. Each tab
// has a program of a document, which tests run there.
import { textOfDocument } from '../../../test/house/documents.ts';
import { type Program, programOf, withElement } from './programs.ts';

interface Tab {
  readonly title: string;
  readonly document: string;
  /** The heading above the program. The default is the document's title. */
  readonly heading?: string;
  /** The program is the first fence in this language that has this text. */
  readonly language: string;
  readonly text?: string;
  /** The command that runs the program, if it isn't the usual one. */
  readonly command?: string;
}

const SANDBOX = 'npx paystate sandbox';
const OTHERS = { document: 'src/cli/README.md', heading: '## Other languages' };

const TABS: readonly Tab[] = [
  { title: 'Node', document: 'README.md', language: 'ts' },
  {
    title: 'Deno',
    document: 'README.md',
    language: 'ts',
    command: 'deno add npm:paystate && deno run first.mjs',
  },
  { title: 'Worker', document: 'README.md', heading: '## A Worker', language: 'ts' },
  {
    title: 'Browser',
    document: 'src/flows/README.md',
    heading: '### Without a bundler',
    language: 'html',
  },
  { title: 'curl', ...OTHERS, language: 'bash', text: 'curl', command: SANDBOX },
  { title: 'Python', ...OTHERS, language: 'python', command: SANDBOX },
];

const NOTE = `For curl and Python, start \`${SANDBOX}\` and [set its URL and API key](./manual/cli.md#other-languages) first.`;

const FENCE = /^```([^\n`]*)\n([\s\S]*?)^```$/gm;

function codeOf({ title, document, heading, language, text = '' }: Tab): string {
  const [, section = ''] = heading
    ? textOfDocument(document).split(`\n${heading}\n`)
    : ['', textOfDocument(document)];
  const found = [...section.matchAll(FENCE)].find(
    ([, name, code]) => name === language && code!.includes(text),
  );
  if (!found) throw new Error(`${document} has no program for the tab ${title}`);
  return found[2]!;
}

function blockOf(tab: Tab, n: number): string {
  const code = codeOf(tab);
  const program: Program = tab.command ? { command: tab.command } : programOf(tab.language, code)!;
  const element = withElement(`\`\`\`${tab.language} [${tab.title}]\n${code}\`\`\``, program);
  return n === 0 ? element.replace('<manual-program ', '<manual-program class="active" ') : element;
}

const FIRST = /<manual-program [\s\S]*?<\/manual-program>/;

/** Returns the start page with tabs in place of its first program. */
export function withTabs(page: string): string {
  const group = ['::: code-group', ...TABS.map(blockOf), ':::', NOTE].join('\n\n');
  return page.replace(FIRST, () => group);
}
