import { checkAddress } from '../../doctor/index.ts';
import { readOnly } from '../../testing/read-only.ts';
import { ACCOUNT_OPTIONS, accountSettings } from '../account.ts';
import {
  type Command,
  countOption,
  EXIT,
  type Given,
  textOption,
  UsageError,
  type Style,
  type Terminal,
} from '../command.ts';
import {
  examineByReading,
  examineSection,
  type FactResult,
  type ReadingReport,
  sections,
  type Stop,
  WHY_STOPPED,
} from '../examine/examine.ts';
import type { Section } from '../examine/fact.ts';

/** The part of the published limit of reads that an examination may take. */
const SHARE = 0.2;
const PAUSE_MS = 100;

/** `paystate examine`: holds a service against its description. */
export const examine: Command = {
  usage: 'examine [URL] [options]',
  about: `check a service against its description, fact by fact
A service at an address is only read: by GET, with at most a fifth of the published rate limit,
one request at a time, and none after a 429. It says how many facts could be checked so, and why
the others were not. With --sandbox all are checked, against a sandbox of its own.
With --read-only --brief it is a canary for a schedule: silent where all is well, else one line.
Ends with ${EXIT.ok} where no fact is false, with ${EXIT.failed} where one is or none could be
checked.`,
  words: 1,
  options: {
    ...ACCOUNT_OPTIONS,
    sandbox: { type: 'boolean', help: 'check a sandbox of its own, with writes' },
    'read-only': { type: 'boolean', help: 'refuse to start if anything but GET could be sent' },
    brief: { type: 'boolean', help: 'print one line, and only if something is wrong' },
    command: {
      type: 'boolean',
      help: 'with --sandbox: over a port, as `paystate sandbox` serves it',
    },
    section: { type: 'string', value: 'TEXT', help: 'only sections whose name contains this text' },
    only: {
      type: 'string',
      value: 'TEXT',
      help: 'only facts whose sentence or heading contains this text',
    },
    every: { type: 'string', value: 'N', help: 'only the first fact and every N-th after it' },
    requests: {
      type: 'string',
      value: 'N',
      help: 'at most this many requests to an address, if below a fifth of the rate limit',
    },
  },
  async run(given, words, terminal) {
    const chosen = chosenSections(given);
    const isBrief = given['brief'] === true;
    if (given['sandbox'] === true) {
      if (given['read-only'] === true)
        throw new UsageError('--sandbox writes: not with --read-only');
      if (words.length > 0) throw new UsageError('--sandbox takes no address');
      const report = await examineSandbox(chosen, given['command'] === true, terminal);
      return tell(report, isBrief, terminal);
    }
    if (given['command'] === true) throw new UsageError('--command belongs to --sandbox');
    return tell(await examineAddress(chosen, given, words, terminal), isBrief, terminal);
  },
};

/** Facts by the options; the number of a fact counts all of them. */
function chosenSections(given: Given): readonly Section[] {
  const every = countOption(given, 'every', 1_000) ?? 1;
  if (every === 0) throw new UsageError('--every must be at least 1');
  const only = textOption(given, 'only')?.toLowerCase() ?? '';
  const name = textOption(given, 'section') ?? '';
  const numbers = new Map(sections.flatMap(({ facts }) => facts).map((fact, at) => [fact, at]));
  const chosen = sections
    .filter((section) => section.name.includes(name))
    .map((section) => ({
      ...section,
      facts: section.facts.filter(
        (fact) =>
          numbers.get(fact)! % every === 0 &&
          `${fact.of} ${fact.says}`.toLowerCase().includes(only),
      ),
    }));
  if (chosen.every(({ facts }) => facts.length === 0))
    throw new UsageError('no fact matches --section, --only and --every');
  return chosen;
}

async function examineSandbox(
  chosen: readonly Section[],
  isCommand: boolean,
  terminal: Terminal,
): Promise<ReadingReport> {
  const progress = terminal.progress('facts');
  const total = chosen.flatMap(({ facts }) => facts).length;
  const results: FactResult[] = [];
  let stop: Stop | undefined;
  for (const section of chosen) {
    if (terminal.signal.aborted) stop = 'interrupted';
    else results.push(...(await examineSection(section, { isCommand })));
    progress.show(results.length, total);
  }
  progress.end();
  return { results, requests: 0, stop };
}

function examineAddress(
  chosen: readonly Section[],
  given: Given,
  [word]: readonly string[],
  { signal }: Terminal,
): Promise<ReadingReport> {
  const { baseUrl, apiKey, rateLimits } = accountSettings({
    ...given,
    'base-url': word ?? given['base-url'],
  });
  if (baseUrl === undefined)
    throw new UsageError('no address: give one, set PAYSTATE_BASE_URL, or use --sandbox');
  const finding = checkAddress(baseUrl);
  if (finding.verdict === 'problem') throw new UsageError(finding.message);
  if (apiKey === undefined) throw new UsageError('no key: set PAYSTATE_API_KEY or give --key-file');
  const most = Math.floor((rateLimits.others?.limit ?? 0) * SHARE);
  const { fetch: read } = readOnly({ baseUrl, apiKey, fetch: (...request) => fetch(...request) });
  const address = baseUrl.replace(/\/$/, '');
  return examineByReading(chosen, {
    send: (path, init) => read(address + path, init),
    apiKey,
    most: countOption(given, 'requests', most) ?? most,
    pause: PAUSE_MS,
    signal,
  });
}

/** The exit code of a command that stopped early. */
const STOPPED: Readonly<Record<Exclude<Stop, 'enough'>, number>> = {
  limited: EXIT.limited,
  unreachable: EXIT.unreachable,
  refused: EXIT.refused,
  interrupted: EXIT.interrupted,
};

type FalseResult = FactResult & { readonly verdict: 'false' };

/** Says what was found; returns what the process ends with. */
function tell(report: ReadingReport, isBrief: boolean, terminal: Terminal): number {
  const { results, requests, stop } = report;
  const falseOnes = results.filter((one): one is FalseResult => one.verdict === 'false');
  const holds = results.filter(({ verdict }) => verdict === 'true').length;
  const checked = holds + falseOnes.length;
  const counts = { facts: results.length, checked, true: holds, false: falseOnes.length };
  const shown = isBrief ? falseOnes : results;
  const code = codeOf(falseOnes.length, checked, stop);
  terminal.emit({ ...counts, requests, ...(stop && { stop }), results: shown });
  if (!isBrief) printAll(report, falseOnes, checked, terminal);
  else if (code !== EXIT.ok) terminal.print(briefLine(falseOnes, checked, stop));
  return code;
}

function codeOf(falseCount: number, checked: number, stop: Stop | undefined): number {
  if (falseCount > 0) return EXIT.failed;
  if (stop && stop !== 'enough') return STOPPED[stop];
  return checked > 0 ? EXIT.ok : EXIT.failed;
}

function printAll(
  { results, requests }: ReadingReport,
  falseOnes: readonly FalseResult[],
  checked: number,
  terminal: Terminal,
): void {
  for (const one of falseOnes) terminal.print(linesOf(one, terminal));
  for (const [question, count] of questionsOf(results))
    terminal.print(
      `${terminal.style('dim', 'not checked')} ${`${count}`.padStart(5)}  ${question}`,
    );
  const isOk = falseOnes.length === 0 && checked > 0;
  const style: Style = isOk ? 'green' : 'red';
  terminal.print(
    [
      `${terminal.style(style, isOk ? 'ok' : 'not ok')} examine: ${results.length} facts`,
      `${checked} checked`,
      `${checked - falseOnes.length} true`,
      `${falseOnes.length} false`,
      `${results.length - checked} not checked`,
      ...(requests > 0 ? [`${requests} requests`] : []),
    ].join(', '),
  );
}

const whyNone = (stop: Stop | undefined): string =>
  stop ? WHY_STOPPED[stop] : 'nothing could be checked';

/** One line that says what the service does otherwise, or why that is not known. */
function briefLine(
  falseOnes: readonly FalseResult[],
  checked: number,
  stop: Stop | undefined,
): string {
  const [first, ...others] = falseOnes;
  if (!first) return `not ok examine: ${checked} facts checked, none false: ${whyNone(stop)}`;
  const { id, of, says, expected, got } = first;
  const more = others.length > 0 ? `; also false: ${others.map((one) => one.id).join(', ')}` : '';
  const line = `${id} (${of}) ${says} Expected ${expected}, seen ${got}${more}`;
  return `not ok examine: ${falseOnes.length} of ${checked} false: ${line.replaceAll(/\s+/g, ' ')}`;
}

const linesOf = ({ id, of, says, expected, got }: FalseResult, { style }: Terminal): string =>
  [
    `${style('red', 'false')} ${id} ${style('dim', `(${of})`)} ${says}`,
    `  expected ${expected}`,
    `  seen     ${got}`,
  ].join('\n');

/** Why facts could not be checked, and how many, the most frequent first. */
function questionsOf(results: readonly FactResult[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const one of results)
    if (one.verdict === 'cannot tell')
      counts.set(one.question, (counts.get(one.question) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
