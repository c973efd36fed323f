import { createInterface } from 'node:readline/promises';
import process from 'node:process';
import { pay as startPayment, type PayResult, type PayStep } from '../../flows/index.ts';
import { printable } from '../../core/text.ts';
import type { Money } from '../../money/index.ts';
import { fileStore } from '../../stores/file.ts';
import { ACCOUNT_OPTIONS, accountClient } from '../account.ts';
import {
  type Command,
  EXIT,
  type Given,
  parseStated,
  readMoney,
  textOption,
  UsageError,
  type Terminal,
} from '../command.ts';

type MaxTotal = Money | 'any';

/** The `paystate pay` command, which pays once and resumes from its journal. */
export const pay: Command = {
  usage: 'pay DESTINATION [options]',
  about: `pay a BOLT11 invoice, a Lightning address, an LNURL or a bitcoin: URI, once
Each payment is saved in the journal before anything is sent. Running the same command again
resumes it and never pays twice. It asks for confirmation, unless you pass --yes.
Exits with ${EXIT.ok}: paid · ${EXIT.failed}: failed or stopped, nothing was paid ·
${EXIT.refused}: refused, nothing was paid · ${EXIT.unknown}: not known yet; run it again.`,
  words: 1,
  options: {
    ...ACCOUNT_OPTIONS,
    currency: { type: 'string', value: 'CUR', help: 'currency to spend; required' },
    journal: { type: 'string', value: 'FILE', help: 'journal file for payments; required' },
    amount: {
      type: 'string',
      value: 'CUR=AMOUNT',
      help: 'amount to pay; must match the amount in DESTINATION, if it has one',
    },
    'max-fee': {
      type: 'string',
      value: 'FEE',
      help: 'highest fee, such as 0.50 or 1%; default: 1%',
    },
    'max-total': {
      type: 'string',
      value: 'AMOUNT',
      help: 'maximum to spend, fee included, or any; required without --amount',
    },
    intent: {
      type: 'string',
      value: 'NAME',
      help: 'your own ID for this payment; required except for a BOLT11 invoice',
    },
    yes: { type: 'boolean', help: 'pay without asking' },
  },
  async run(given, [to = ''], terminal) {
    const currency = neededOption(given, 'currency');
    const folder = neededOption(given, 'journal');
    if (to === '') throw new UsageError('a destination is missing');
    const options = {
      to,
      sourceCurrency: currency,
      maxFee: readFee(textOption(given, 'max-fee') ?? '1%', currency),
      journal: fileStore(folder),
      signal: terminal.signal,
      ...readBounds(textOption(given, 'amount'), textOption(given, 'max-total'), currency),
      ...(textOption(given, 'intent') !== undefined && { intent: textOption(given, 'intent') }),
    };
    const client = accountClient(given);
    if (given['yes'] !== true) await askFirst(`pay ${to} with ${currency}?`);
    const run = startPayment(client, options);
    run.subscribe((step) => showStep(step, terminal));
    const result = await run.result;
    terminal.emit({ ...result, intent: run.intent });
    return EXITS[result.phase] ?? EXIT.failed;
  },
};

function neededOption(given: Given, name: string): string {
  const text = textOption(given, name);
  if (text === undefined || text === '') throw new UsageError(`--${name} is missing`);
  return text;
}

function readFee(text: string, currency: string): Money | { readonly percent: string } {
  return text.endsWith('%')
    ? { percent: text.slice(0, -1) }
    : readMoney(text, currency, '--max-fee must be a decimal string such as 12.50');
}

/**
 * Reads the amount and the maximum. At least one is required, because DESTINATION alone must not
 * determine how much you pay.
 */
function readBounds(
  stated: string | undefined,
  most: string | undefined,
  source: string,
): { readonly amount: Money; readonly maxTotal?: MaxTotal } | { readonly maxTotal: MaxTotal } {
  const maxTotal =
    most === undefined || most === 'any'
      ? most
      : readMoney(most, source, '--max-total must be a decimal string such as 12.50');
  if (stated === undefined) {
    if (maxTotal !== undefined) return { maxTotal };
    throw new UsageError(
      '--amount or --max-total is required, so that DESTINATION alone cannot decide the amount',
    );
  }
  const amount = parseStated(stated, 'amount');
  return maxTotal === undefined ? { amount } : { amount, maxTotal };
}

/**
 * Asks for confirmation. Without a terminal, throws instead of paying, because a script may have
 * forgotten `--yes`.
 */
async function askFirst(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      'cannot ask for confirmation without a terminal: pass --yes to pay without asking',
    );
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const said = await lines.question(`${printable(question)} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(said.trim())) throw new UsageError('not paid');
}

function showStep(step: PayStep, terminal: Terminal): void {
  const text = terminal.style(step.phase === 'paid' ? 'green' : 'cyan', step.phase.padEnd(11));
  const terms = 'quote' in step && step.quote ? step.quote.totalAmount : undefined;
  const spent = 'payment' in step && step.payment ? step.payment.totalAmount : terms;
  const why = 'error' in step ? step.error.message : '';
  terminal.print(`${text} ${spent ? `${spent.amount} ${spent.currency}` : ''}${why}`.trimEnd());
}

/** Exit codes by result. All other results exit with `EXIT.failed`. */
const EXITS: Partial<Readonly<Record<PayResult['phase'], number>>> = {
  paid: EXIT.ok,
  refused: EXIT.refused,
  unknown: EXIT.unknown,
};
