// Makes a page for each error code from the tables in the chapters on errors and faults.
import { tableIn } from '../../../test/house/documents.ts';

const ERRORS = 'src/core/errors/in-detail.md';
const MEANINGS = 'src/core/errors/codes/README.md';
const FAULTS = 'src/sandbox/faults/README.md';
/** A title of the tables of codes. */
const USER_TEXT = 'what `userMessage` says';

type Row = readonly string[];

const bare = (cell: string): string => cell.replaceAll('`', '');

/** Returns how to get an error of the service in the sandbox, by itself or by a fault. */
const waysByCode = (): ReadonlyMap<string, string> =>
  new Map(
    tableIn(FAULTS, 'code', 'what leads to it', 'by a fault').map(([code = '', way = '']) => [
      bare(code),
      way,
    ]),
  );

const NEXT_TEXTS: Readonly<Record<string, string>> = {
  'ask-user': 'Show the text to the user: only they can change what is wrong.',
  'fix-input': 'Correct the call. Sent again as it is, it fails again.',
  'get-scope': 'Use a credential that has the scope; `neededScope` of the error names it.',
  login: 'Log in again, then repeat the call.',
  'new-quote': 'Request a new quote, compare it with your limits again, and execute that one.',
  'read-first': 'Read what exists before anything else: it may have been done.',
  retry: 'Repeat the same call later.',
  stop: 'Stop: no repetition helps.',
  wait: 'Wait until `retryAt` of the error, then repeat the call.',
};

/** Returns the advice for each word in the cell of `next`. */
function stepsOf(next: string): string {
  const parts = next.split(';').map((part) => part.trim());
  return parts
    .map((part) => {
      const [word = ''] = /(?<=`)[\w-]+(?=`)/.exec(part) ?? [];
      const when = part.includes(' for ')
        ? `, for operations that are ${part.split(' for ')[1]}`
        : '';
      return `- \`next\` is \`${word}\`${when}. ${NEXT_TEXTS[word] ?? ''}`.trimEnd();
    })
    .join('\n');
}

/** Returns what happened, what it means for your money, and what to do now, by code. */
const meaningsByCode = (): ReadonlyMap<string, Row> =>
  new Map(
    tableIn(MEANINGS, 'code', 'what happened', 'the money', 'what to do now').map(
      ([code = '', ...meaning]) => [bare(code), meaning],
    ),
  );

interface Code {
  readonly code: string;
  readonly origin: string;
  readonly next: string;
  readonly values: string;
  readonly userText: string;
}

function codesOfService(): readonly Code[] {
  return tableIn(ERRORS, 'code', 'status', '`next`', '`values`', USER_TEXT).map(
    ([code = '', status = '', next = '', values = '', userText = '']) => ({
      code: bare(code),
      origin: `The service responds with it, under HTTP ${status}.`,
      next,
      values,
      userText,
    }),
  );
}

const ownCodes = (): readonly Code[] =>
  tableIn(ERRORS, 'code of ours', '`next`', USER_TEXT).map(
    ([code = '', next = '', userText = '']) => ({
      code: bare(code),
      origin:
        'It is a code of this package: no response of the service came, or it could not be used.',
      next,
      values: '',
      userText,
    }),
  );

function pageOfCode(
  { code, origin, next, values, userText }: Code,
  meaning: Row | undefined,
  way: string | undefined,
): string {
  const [happened, money, now] = meaning ?? [];
  if (!now) throw new Error(`${MEANINGS} has no row for ${code}`);
  return [
    `# ${code}`,
    `${happened} ${origin}`,
    '## What it means for the money',
    money!.startsWith('It may')
      ? `${money} Where \`outcome\` of your error is \`not-done\`, none moved.`
      : money!,
    '## What to do now',
    now,
    stepsOf(next),
    `## What a user reads`,
    `> ${userText}`,
    ...(values ? [`The error carries ${values} in \`values\`.`] : []),
    ...(way
      ? [
          '## How to get it in a test',
          `In the sandbox: ${way}. [All ways](../manual/sandbox/faults.md) have a chapter.`,
        ]
      : []),
    '[All codes](./index.md) · [Errors by code](../manual/core/errors/codes.md) · [Errors](../manual/core/errors.md)',
    '',
  ].join('\n\n');
}

/** Returns all codes that have a page. */
export const codes = (): readonly Code[] => [...codesOfService(), ...ownCodes()];

/** Returns the pages, by path. */
export function codePages(): readonly (readonly [string, string])[] {
  const ways = waysByCode();
  const meanings = meaningsByCode();
  const all = codes();
  const lines = all.map(({ code, userText }) => `| [\`${code}\`](./${code}.md) | ${userText} |`);
  const index = [
    '# Error codes',
    'Each code has a page: what happened, what it means for the money, what to do now, what a user reads, how to get it in a test. [Errors](../manual/core/errors.md) says how to work with them.',
    ['| code | what a user reads |', '| --- | --- |', ...lines].join('\n'),
    '',
  ].join('\n\n');
  return [
    ['errors/index.md', index],
    ...all.map(
      (one) =>
        [
          `errors/${one.code}.md`,
          pageOfCode(one, meanings.get(one.code), ways.get(one.code)),
        ] as const,
    ),
  ];
}
