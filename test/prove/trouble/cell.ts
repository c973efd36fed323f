// One cell of the trouble table: a number of watches through one trouble, and the judge's verdict.
import { type Client, watchInvoice } from 'paystate';
import { type Lie, liesOf, type Setting, wrongEndOf } from '../shared/watched/judge.ts';
import { createRecord, listen } from '../shared/watched/listener.ts';
import { doubtsOf, type PayHow, statesOf } from '../shared/watched/service.ts';
import { type Act, Stage } from '../shared/watched/stage.ts';
import { recoveryOf, slowestOf } from './recovery.ts';
import type { Trouble } from './troubles.ts';

const MINUTE_MS = 60_000;
const BEFORE_MS = 5 * MINUTE_MS;
const AFTER_MS = 10 * MINUTE_MS;
/** Number of requests of the shop itself, and its wait for each. */
const OWN_CALLS_EVERY_MS = 30_000;
const PATIENCE_MS = 10_000;
/** Invoices of which the books are compared with what was noted. */
const DOUBTED = 20;

type Payment = PayHow & { readonly at: number };

/**
 * Payments: as many times as there are invoices for. The one in the middle comes first, as there
 * may be no other.
 */
function paymentsOf({ length, isFromStart }: Trouble, begin: number): readonly Payment[] {
  const end = begin + length;
  const middle = begin + Math.floor(length / 2) + (isFromStart ? MINUTE_MS : 0);
  const payments: readonly Payment[] = [
    { at: middle },
    { at: begin + 500 },
    { at: end - 1_000 },
    { at: begin - MINUTE_MS },
    { at: end + MINUTE_MS, pendingFor: 20_000 },
    { at: end + 5 * MINUTE_MS },
    { at: middle + 1_000, pendingFor: 10_000, fails: true },
  ];
  return payments.filter(({ at }) => at > 0);
}

/** Calls of the shop itself after the trouble; counts those that were refused or took too long. */
class OwnCalls {
  late = 0;

  acts(client: Client, { clock }: Stage, from: number): readonly Act[] {
    const act = (): void => {
      const sentAt = clock.now();
      const note = (): void => void (clock.now() - sentAt > PATIENCE_MS && this.late++);
      void client.balances.list().then(note, () => void this.late++);
    };
    const count = AFTER_MS / OWN_CALLS_EVERY_MS - 1;
    return Array.from({ length: count }, (_, n) => ({
      at: from + (n + 1) * OWN_CALLS_EVERY_MS,
      act,
    }));
  }
}

export interface CellOptions {
  readonly count: number;
  readonly trouble: Trouble;
  /** Watched by ids alone. */
  readonly isById: boolean;
  readonly hasFeed: boolean;
}

export interface Cell {
  readonly watches: number;
  readonly falseLive: number;
  readonly longestWrong: number;
  readonly allLiveAfter: number;
  readonly slowestLater: number;
  readonly wrongEnds: readonly string[];
  /** In ten minutes after the trouble. */
  readonly requests: number;
  readonly ownCallsLate: number;
  /** Responses 429 that the trouble itself does not excuse. */
  readonly refusals: number;
  /** Seconds of processor time. */
  readonly cpu: number;
  /** Differences between the history and the service, with which the judge cannot be believed. */
  readonly doubts: readonly string[];
  readonly lies: readonly Lie[];
}

export async function playCell({ count, trouble, isById, hasFeed }: CellOptions): Promise<Cell> {
  const stage = new Stage({ seed: 1 });
  const { service, clock, network, device, sandbox } = stage;
  const invoices = await stage.createMany(count);
  const client = stage.newClient({ feed: hasFeed });
  const start = clock.now();
  const begin = trouble.isFromStart ? 0 : BEFORE_MS;
  const from = start + begin;
  const span = { from, to: from + trouble.length, paid: invoices[0]!.invoiceId };
  const acts: Act[] = paymentsOf(trouble, begin)
    .slice(0, count)
    .map((one, n) => ({ at: one.at, act: () => service.pay(invoices[n]!.invoiceId, one) }));
  let end = (): void => {};
  const beginning = (): void => void (end = trouble.begin(stage, span));
  if (trouble.isFromStart) beginning();
  else acts.push({ at: begin, act: beginning });
  if (!trouble.isFromStart && !trouble.isLasting)
    acts.push({ at: begin + trouble.length, act: () => end() });
  const own = new OwnCalls();
  acts.push(...own.acts(client, stage, begin + trouble.length));
  const records = invoices.map((invoice, n) => {
    const record = createRecord(`${n}`, invoice.invoiceId, 'watch', clock);
    const watch = watchInvoice(client, isById ? invoice.invoiceId : invoice);
    listen(record, (to) => watch.subscribe(to));
    return record;
  });
  const used = process.cpuUsage();
  await stage.play(acts, begin + trouble.length + AFTER_MS);
  const { user, system } = process.cpuUsage(used);
  const now = clock.now();
  const { history } = service;
  const setting: Setting = { end: now, isLagging: trouble.isLagging, sleeps: device.sleeps };
  const lies = records.map((one) => liesOf(one, statesOf(history, one.id), setting));
  const ids = records.slice(0, DOUBTED).map(({ id }) => id);
  const longest = lies.map(({ worst }) => worst?.lie ?? 0);
  return {
    watches: count,
    falseLive: lies.filter(({ isFalse }) => isFalse).length,
    longestWrong: Math.max(0, ...longest),
    allLiveAfter: recoveryOf(records, history, span.to, now),
    slowestLater: slowestOf(records, history, span.to, now),
    wrongEnds: records.flatMap((one) => wrongEndOf(one, statesOf(history, one.id), setting) ?? []),
    requests: network.sentIn(span.to, now),
    ownCallsLate: own.late,
    refusals: network.refusals(trouble.isBlock ? span : undefined),
    cpu: (user + system) / 1e6,
    doubts: await sandbox.run(doubtsOf(service, ids)),
    lies: lies.flatMap(({ isFalse, worst }) => (isFalse && worst ? [worst] : [])),
  };
}
