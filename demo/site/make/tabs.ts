// Replaces the start page's first program by tabs for several platforms. Each tab shows a program
// from one of the documents, and tests run all programs of the documents.
import { textOfDocument } from '../../../test/house/documents.ts';
import { type Program, programOf, withElement } from './programs.ts';

interface Tab {
  readonly title: string;
  readonly document: string;
  /** The heading above the program. The default is the document's title. */
  readonly heading?: string;
  /** The tab shows the first fenced code block in this language that contains `text`. */
  readonly language: string;
  readonly text?: string;
  /** Overrides the command that runs the program. */
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

/** Replaces the first program of the start page by tabs. */
export function withTabs(page: string): string {
  const group = ['::: code-group', ...TABS.map(blockOf), ':::', NOTE].join('\n\n');
  return page.replace(FIRST, () => group);
}
