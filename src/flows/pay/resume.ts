import { badInput, type Expected } from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { checkMove, type CommonPaymentOptions, type MoveCommand } from './intent.ts';
import { MoveJournal, withJournal } from './journal.ts';
import type { Rail } from './rail.ts';
import { depositRail } from './rails/deposit.ts';
import { exchangeRail } from './rails/exchange.ts';
import { paymentRail } from './rails/payment.ts';
import { payoutRail } from './rails/payout.ts';
import { refundRail } from './rails/refund.ts';
import type { MoneyResult, MoneyStep } from './result.ts';
import type { RailName } from './order.ts';
import { type Run, takeUp } from './runs.ts';
import { readView } from './facts.ts';

const RAILS: Readonly<Record<RailName, Rail>> = {
  bolt11: paymentRail,
  lnurl: paymentRail,
  onchain: paymentRail,
  exchange: exchangeRail,
  payout: payoutRail,
  deposit: depositRail,
};

/**
 * Resumes all unfinished payments, exchanges, payouts and deposits in a journal after a restart.
 * Intents in progress are finished, and nothing is done twice. You also get the results of the last
 * 30 days that you haven't acknowledged, with `joined: true`, because a process may have crashed
 * before it received them. You get each result at least once, so key your handler on `intent` and
 * then call `ack`.
 *
 * @param options `journal`: the store you pass to `pay`, `exchange`, `payOut` and `deposit`. See
 * `ResumeOptions`
 * @throws InputError if the journal isn't durable, UnreachableError if it can't be read
 *
 * @example
 * const runs = await resume(client, { journal: memoryStore() });
 * for (const run of runs) {
 *   console.log(run.intent, (await run.result).phase);
 *   await run.ack();
 * }
 */
export async function resume(
  client: Connection,
  options: ResumeOptions,
): Promise<readonly Run<MoneyStep, MoneyResult>[]> {
  const { journal, begin, restoredFrom } = checkMove(client, options, RESUME_OPTIONS);
  const rows = new MoveJournal(journal, client);
  if (restoredFrom !== undefined)
    await withJournal(rows.learn({ restoredFrom: readRestored(client, restoredFrom) }));
  const found = await withJournal(rows.listOpen());
  const now = client[internals].clock.now();
  const isEnded = ({ row }: (typeof found)[number]) => {
    const end = row && readView(row).over?.as;
    return end !== undefined && end !== 'unknown';
  };
  const isOld = ({ row }: (typeof found)[number]) => readView(row!).lastAt <= now - LISTED_FOR_MS;
  const forgotten = found.filter((one) => isEnded(one) && isOld(one));
  await withJournal(Promise.all(forgotten.map(({ intent }) => rows.forget(intent, now))));
  const rest = found.filter((one) => !forgotten.includes(one));
  const ordered = [...rest.filter((one) => !isEnded(one)), ...rest.filter(isEnded)];
  return ordered.map(({ intent, row }) => {
    const command: MoveCommand = row ?? { ...UNREADABLE, intent };
    return takeUp(client, chooseRail(command), command, journal, begin === false);
  });
}

/** Options for `resume`. */
export interface ResumeOptions extends Pick<CommonPaymentOptions, 'journal'> {
  /**
   * Pass `false` to find out the outcome of each intent without starting anything. An intent that
   * hasn't moved anything yet ends as `unknown` with a `reason`, and stays open.
   */
  readonly begin?: boolean | undefined;
  /**
   * When the backup that the journal was restored from was made, in milliseconds since 1970. Every
   * later run, even of a new intent, treats its journal entry as incomplete and checks with the
   * service first. Pass `null` to stop these checks.
   */
  readonly restoredFrom?: number | Date | null | undefined;
}

const RESUME_OPTIONS: Expected<ResumeOptions> = {
  journal: 'any',
  begin: 'boolean',
  restoredFrom: 'any',
};

/**
 * The smallest plausible value in milliseconds, which is a date in 2001. A time in seconds would be
 * smaller.
 */
const LEAST_MS = 1e12;

/** Reads a backup's time. A time in the future counts as now. Throws InputError. */
function readRestored(client: Connection, given: unknown): number | undefined {
  if (given === null) return undefined;
  const at = given instanceof Date ? given.getTime() : given;
  if (typeof at === 'number' && at >= LEAST_MS) return Math.min(at, client[internals].clock.now());
  throw badInput('restoredFrom', 'must be the time of the backup, in milliseconds since 1970');
}

/** How long an unacknowledged result stays listed. */
const LISTED_FOR_MS = 30 * 86_400_000;

/**
 * Replaces a journal row that can't be read. The run tries to read it again and ends as `unknown`.
 */
const UNREADABLE = {
  fingerprint: '',
  order: { rail: 'bolt11', destination: '', sourceCurrency: '' },
  limits: { maxFee: 'any', maxRateSlip: 'any' },
} as const satisfies Omit<MoveCommand, 'intent'>;

function chooseRail({ order }: MoveCommand): Rail {
  return 'refundOf' in order && order.refundOf ? refundRail : RAILS[order.rail];
}
