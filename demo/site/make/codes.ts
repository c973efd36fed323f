// Makes a page for each error code from the tables in the chapters about errors and faults.
import { tableIn } from '../../../test/house/documents.ts';

const ERRORS = 'src/core/errors/in-detail.md';
const MEANINGS = 'src/core/errors/codes/README.md';
const FAULTS = 'src/sandbox/faults/README.md';
/** The title of the column with the message for users. */
const USER_TEXT = 'what `userMessage` says';

type Row = readonly string[];

const bare = (cell: string): string => cell.replaceAll('`', '');

const FAULT_LINK = '[fault](../manual/sandbox/faults.md)';

/** Returns, by code, how to cause an error of the service in the sandbox. */
const waysByCode = (): ReadonlyMap<string, string> =>
  new Map(
    tableIn(FAULTS, 'code', 'what leads to it', 'by a fault').map(
      ([code = '', way = '', fault = '']) => {
        if (way.startsWith('–')) return [bare(code), `In the sandbox, use a ${FAULT_LINK}.`];
        const cause = `In the sandbox, this error comes from ${way}.`;
        return [bare(code), fault === 'yes' ? `${cause} You can also use a ${FAULT_LINK}.` : cause];
      },
    ),
  );

const NEXT_TEXTS: Readonly<Record<string, string>> = {
  'ask-user': 'Show `userMessage` to your user, because only they can fix the problem.',
  'fix-input': 'Correct the call. The same call would fail again.',
  'get-scope': "Use a credential with the scope in the error's `neededScope`.",
  login: 'Log in again, then repeat the call.',
  'new-quote': 'Request a new quote, check it against your limits, and execute the new quote.',
  'read-first':
    'Read what exists before you repeat the call, because the call may have had an effect.',
  retry: 'Repeat the same call later.',
  stop: 'Stop, because the same call would fail again.',
  wait: "Wait until the error's `retryAt`, then repeat the call.",
};

/** Returns the advice for each value in a cell of the column `next`. */
function stepsOf(next: string): string {
  const parts = next.split(';').map((part) => part.trim());
  return parts
    .map((part) => {
      const [word = ''] = /(?<=`)[\w-]+(?=`)/.exec(part) ?? [];
      const when = part.includes(' for ')
        ? ` for operations whose [\`idempotency\`](../manual/resources/in-detail.md#operations) is ${part.split(' for ')[1]!.replaceAll(', ', ' or ')}`
        : '';
      return `- The error's \`next\` is \`${word}\`${when}. ${NEXT_TEXTS[word] ?? ''}`.trimEnd();
    })
    .join('\n');
}

/** Returns, by code, what happened, what the error means for your money, and what to do now. */
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
      origin: `The service sends this code with HTTP status ${status}.`,
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
      origin: 'This code comes from the SDK, not from the service.',
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
    '## What it means for your money',
    money!.startsWith('It may')
      ? `${money!.replace('It may', 'Money may')} If the error's \`outcome\` is \`not-done\`, no money moved.`
      : money!.replace(/^None moved/, 'No money moved'),
    '## What to do now',
    now,
    stepsOf(next),
    '## The message for your user',
    `> ${userText}`,
    ...(values ? [`The error's \`values\` contain ${values}.`] : []),
    ...(way ? ['## How to cause this error in a test', way] : []),
    '[All codes](./index.md) · [Errors by code](../manual/core/errors/codes.md) · [Errors](../manual/core/errors.md)',
    '',
  ].join('\n\n');
}

/** Returns all codes that have a page. */
export const codes = (): readonly Code[] => [...codesOfService(), ...ownCodes()];

/** Returns the page of each code and the list of all codes, by path. */
export function codePages(): readonly (readonly [string, string])[] {
  const ways = waysByCode();
  const meanings = meaningsByCode();
  const all = codes();
  const lines = all.map(({ code, userText }) => `| [\`${code}\`](./${code}.md) | ${userText} |`);
  const index = [
    '# Error codes',
    'Each code has a page. It explains what happened, what the error means for your money, what to do now, and how to cause the error in a test. To handle errors in your code, read [Errors](../manual/core/errors.md).',
    ['| code | message for your user |', '| --- | --- |', ...lines].join('\n'),
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
