// Says what is wrong with what the SDK and the user said, by the books of the sandbox and what the network has seen.
import { isPaystateError } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import type { CallRecord, Copy, End, Intent, Sent } from './intent.ts';
import type { Network } from './network.ts';
import { transcriptOf } from './transcript.ts';
import { idIn, type MoneyResource, nameOf } from './wire.ts';

/**
 * The kinds of faults. `foreign` is counted apart: the call returned something of another intent,
 * and nobody believed it.
 */
type Violation =
  | 'doubled'
  | 'falseDone'
  | 'falseNo'
  | 'overRefunded'
  | 'astray'
  | 'stuck'
  | 'stray'
  | 'foreign';

export interface Verdict {
  readonly kind: Violation;
  readonly text: string;
  /** The call that it is about. */
  readonly call?: CallRecord;
}

/** The verdict on one intent. */
export interface Judged {
  readonly intent: Intent;
  readonly said: End['said'];
  readonly verdicts: readonly Verdict[];
  readonly requests: number;
  transcript(): string;
}

/** Tells whether an intent went wrong; a result that nobody believed is shown in the table alone. */
export const isWrong = ({ verdicts }: Judged): boolean =>
  verdicts.some(({ kind }) => kind !== 'foreign');

/** A request that had its effect. */
interface Effect {
  readonly thing: string | undefined;
  readonly id: string | undefined;
  readonly sent: Sent;
}

/** The last posting about each thing that money moved for. */
type Books = ReadonlyMap<string | undefined, string>;

/** Money has not moved, or is back. */
const IS_BACK = /(?: FAILED| REVERSED)$/;
const isBack = (books: Books, id: string | undefined): boolean => IS_BACK.test(books.get(id) ?? '');

/** Lists the effects that the service really had for an intent. */
const effectsOf = (intent: Intent, log: readonly Sent[]): readonly Effect[] =>
  log
    .filter((sent) => sent.intent === intent && sent.request.resource)
    .flatMap((sent) =>
      sent.copies
        .filter(({ status }) => status < 300)
        .map(({ json }) => ({
          thing: sent.request.thing,
          id: idIn(json) ?? sent.request.id,
          sent,
        })),
    );

const booksBySandbox = new WeakMap<Sandbox, Books>();

/** By the books: what became of each thing that money moved for. A world is judged when it has ended. */
function lastPostings(sandbox: Sandbox): Books {
  const known = booksBySandbox.get(sandbox);
  if (known) return known;
  const books = new Map(sandbox.ledger.postings.map(({ entityId, why }) => [entityId, why]));
  booksBySandbox.set(sandbox, books);
  return books;
}

const isMoney = ({ name }: CallRecord): boolean =>
  /execute$|initiate$|deposits\.create$|^invoices\./.test(name);

interface Facts {
  readonly intent: Intent;
  readonly log: readonly Sent[];
  readonly effects: readonly Effect[];
}

/** Effects that the call must know of. */
function effectsKnownTo(call: CallRecord, { intent, log, effects }: Facts): readonly Effect[] {
  const own = log
    .slice(0, call.to)
    .filter(
      (sent) => sent.intent === intent && sent.process === call.process && sent.request.resource,
    );
  const inCall = own.filter(({ index }) => index >= call.from);
  const things = new Set(inCall.map(({ request }) => request.thing));
  if (call.about) things.add(call.about);
  const isResolved = call.outcome?.kind === 'resolved';
  return effects.filter(
    ({ thing, sent }) =>
      things.has(thing) && (isResolved ? sent.index < (call.to ?? 0) : own.includes(sent)),
  );
}

const falseDone = (text: string): Verdict => ({ kind: 'falseDone', text });

/** One call of the SDK against the truth. */
function lieOf(call: CallRecord, facts: Facts): Verdict | undefined {
  const { outcome, name } = call;
  if (!outcome) return undefined;
  const done = effectsKnownTo(call, facts);
  if (outcome.kind === 'rejected') {
    const { error } = outcome;
    const isNo = isPaystateError(error) && error.outcome === 'not-done';
    return isNo && isMoney(call) && done.length > 0
      ? { kind: 'falseNo', text: `${name} said not-done (${error.code}), but it was done` }
      : undefined;
  }
  const named = nameOf(outcome.value);
  if (name.endsWith('.find') && named !== undefined && named !== call.about)
    return falseDone(`${name} gave another one`);
  if (!isMoney(call)) return undefined;
  if (name === 'payouts.initiate' && named !== call.about)
    return falseDone('payouts.initiate gave another payout');
  if (name.startsWith('invoices'))
    return done.some(({ id }) => id === named)
      ? undefined
      : falseDone(`${name} gave another invoice, or none`);
  if (named !== undefined && !done.some(({ id }) => id === named))
    return { kind: 'foreign', text: `${name} gave what is not this intent's` };
  return done.length > 0 ? undefined : falseDone(`${name} resolved, but nothing was done`);
}

/** Things that are made before money moves for them. */
const MAKER: Readonly<Partial<Record<MoneyResource, string>>> = {
  payment: 'payment quote',
  exchange: 'exchange quote',
  payout: 'payout',
};
const makerOf = ({ sent }: Effect): string | undefined =>
  sent.request.resource && MAKER[sent.request.resource];

/** It moved money for what another intent, or another program, had made. */
function strayOf(
  intent: Intent,
  effects: readonly Effect[],
  { makers }: Network,
): Verdict | undefined {
  const found = effects.find((effect) => {
    const maker = makers.get(effect.thing);
    return makerOf(effect) !== undefined && maker !== undefined && maker !== intent;
  });
  return found && { kind: 'astray', text: `it executed the ${makerOf(found)} of another` };
}

function centsOf(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2));
}

/** Cents that have come in for each invoice that is refunded. */
const RECEIVED_CENTS = 2_000n;

/** All that went back of one invoice, against the twenty that came in. */
function overRefund(intent: Intent, log: readonly Sent[], books: Books): Verdict | undefined {
  if (!intent.invoice) return undefined;
  const amounts = new Map<string | undefined, bigint>(); // by payment
  const note = ({ status, json }: Copy): void => {
    if (status < 300 && json?.amount && !isBack(books, json.paymentId))
      amounts.set(json.paymentId, centsOf(json.amount.amount));
  };
  for (const { intent: other, request, copies } of log)
    if (other.invoice === intent.invoice && request.resource === 'payment') copies.forEach(note);
  const sum = [...amounts.values()].reduce((all, one) => all + one, 0n);
  return sum > RECEIVED_CENTS
    ? { kind: 'overRefunded', text: `${sum} cents of ${RECEIVED_CENTS} went back` }
    : undefined;
}

function verdictOfEnd(
  { said, id, state }: End,
  live: readonly (string | undefined)[],
  effects: readonly Effect[],
  books: Books,
): Verdict | undefined {
  if (said === 'done' && effects.length === 0)
    return falseDone('the user believes that it is done; nothing was');
  if (said === 'done' && id !== undefined && !effects.some((effect) => effect.id === id))
    return falseDone("the user believes in another one's");
  if (said === 'done' && state === 'COMPLETED' && isBack(books, id))
    return falseDone('read as COMPLETED; it had failed');
  if ((said === 'not-done' || said === 'failed') && live.length > 0)
    return { kind: 'falseNo', text: `the user believes that it is ${said}; it was done` };
  if (said === 'stuck') return { kind: 'stuck', text: 'it has not ended and does not say why' };
  return undefined;
}

export interface Trial {
  readonly intent: Intent;
  readonly sandbox: Sandbox;
  readonly network: Network;
  /** When the world began. */
  readonly begin: number;
}

/** Judges an intent that has ended. */
export function judge({ intent, sandbox, network, begin }: Trial): Judged {
  const { log } = network;
  const end = intent.end!;
  const books = lastPostings(sandbox);
  const effects = effectsOf(intent, log);
  const live = [...new Set(effects.map(({ id }) => id))].filter((id) => !isBack(books, id));
  const lies = intent.calls.map((call) => {
    const lie = lieOf(call, { intent, log, effects });
    return lie && { ...lie, call };
  });
  const found: readonly (Verdict | undefined)[] = [
    ...lies,
    verdictOfEnd(end, live, effects, books),
    strayOf(intent, effects, network),
    overRefund(intent, log, books),
    live.length > 1 ? { kind: 'doubled', text: `done ${live.length} times` } : undefined,
    ...intent.strays.map(
      (thrown): Verdict => ({ kind: 'stray', text: `threw what is no PaystateError: ${thrown}` }),
    ),
  ];
  const verdicts = found.filter((one) => one !== undefined);
  const sent = log.filter((one) => one.intent === intent);
  return {
    intent,
    said: end.said,
    verdicts,
    requests: sent.length,
    transcript: () => transcriptOf({ intent, sent, begin, verdicts }),
  };
}
