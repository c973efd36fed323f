// Tells the story of the newest order from the sandbox and the log of the shop's Worker: what has
// happened, when, and what comes next.
import { formatMoney, type Money } from '../../dist/money/index.js';
import { followEvents, type HappenedEvent } from '../../dist/sandbox/host/inspect.js';
import type { Sandbox } from '../../dist/sandbox/index.js';

export interface Step {
  readonly name: string;
  /** Milliseconds since 1970. Absent until it has happened. */
  readonly at?: number;
  /** Time since the step before, for people. */
  readonly after?: string;
  /** Its path in the workbench, below the service's address. */
  readonly place?: string;
  readonly isBad?: boolean;
}

export interface Scene {
  /** `refundable` after it's paid and packed. */
  readonly state: 'none' | 'open' | 'pending' | 'paid' | 'refundable' | 'refunding' | 'over';
  readonly orderId?: string;
  readonly invoiceId?: string;
  readonly price?: string;
  readonly what?: string;
  readonly steps: readonly Step[];
}

interface Invoice {
  readonly invoiceId: string;
  readonly amount: Money;
  readonly description?: string;
  readonly correlationId?: string;
  readonly state: string;
  readonly created: string;
}

interface Move {
  readonly at: number;
  readonly state: string;
}

/** A line of the example Worker's log. */
interface Line {
  readonly at: string;
  readonly event: string;
  readonly orderId?: string;
  readonly act?: string;
  readonly said?: string;
  readonly why?: string;
}

const AHEAD = ['Code shown', 'Paid', 'Webhook', 'Parcel packed'];

/** States of an invoice in the words of customers and shops. */
const MOVES: Readonly<Record<string, string>> = {
  PENDING: 'Payment on its way',
  UNPAID: 'Payment failed',
  PAID: 'Paid',
  CANCELLED: 'Cancelled',
  REVERSED: 'Payment returned',
};

/** Returns a duration as people read it: 38 ms, 4.2 s, 3 min. */
function spanOf(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Returns the Worker's own lines. wrangler puts words of its own before them. */
const linesIn = (log: string): readonly Line[] =>
  [...log.matchAll(/\{"at":.*\}$/gm)].map(([text]) => JSON.parse(text) as Line);

/** A faster payment has no step for being on its way. */
const SHORTEST_PENDING_MS = 50;

/** Follows a sandbox. `scene` returns the state of the newest order. */
export class Story {
  readonly #sandbox: Sandbox;
  readonly #readLog: () => string;
  readonly #moves = new Map<string, Move[]>();

  constructor(sandbox: Sandbox, readLog: () => string) {
    this.#sandbox = sandbox;
    this.#readLog = readLog;
    followEvents(sandbox.inspect, (event: HappenedEvent) => {
      const state = event.stateOf('invoice', event.entityId);
      if (!event.eventType.startsWith('invoice.') || !state) return;
      const moves = this.#moves.get(event.entityId) ?? [];
      const before = moves.at(-1)?.state ?? 'UNPAID';
      if (before !== state) moves.push({ at: event.at, state });
      this.#moves.set(event.entityId, moves);
    });
  }

  /** Returns the newest invoice. */
  #newest(): Invoice | undefined {
    const invoices = this.#sandbox.inspect()['invoices'] as readonly Invoice[] | undefined;
    return [...(invoices ?? [])].sort((one, other) => (one.created < other.created ? 1 : -1))[0];
  }

  scene(): Scene {
    const invoice = this.#newest();
    if (!invoice) return { state: 'none', steps: ['Order', ...AHEAD].map((name) => ({ name })) };
    const { invoiceId, correlationId: orderId = '', amount, description: what = '' } = invoice;
    const lines = linesIn(this.#readLog()).filter((line) => line.orderId === orderId);
    const done = this.#done(invoice, lines).sort((one, other) => one.at - other.at);
    return {
      state: stateOf(invoice, lines),
      orderId,
      invoiceId,
      price: formatMoney(amount, { locale: 'en' }),
      what,
      steps: [...withTimes(done), ...aheadOf(invoice, done)],
    };
  }

  #done({ invoiceId, correlationId, created }: Invoice, lines: readonly Line[]) {
    const place = `#invoice/${invoiceId}`;
    const steps: (Step & { readonly at: number })[] = [
      { name: `Order ${correlationId}`, at: Date.parse(created), place },
    ];
    const code = this.#sandbox.log.find(({ path }) => path === `/v1/invoices/${invoiceId}/quote`);
    if (code) steps.push({ name: 'Code shown', at: code.at, place: `#r${code.call}` });
    for (const { at, state } of lasting(this.#moves.get(invoiceId)))
      steps.push({ name: MOVES[state] ?? state, at, place, isBad: state === 'UNPAID' });
    const paidAt = this.#moves.get(invoiceId)?.find(({ state }) => state === 'PAID')?.at;
    const webhook = this.#sandbox.deliveries.find(
      ({ at, outcome, body }) =>
        paidAt !== undefined && at >= paidAt && outcome === 'delivered' && body.includes(invoiceId),
    );
    if (webhook) steps.push({ name: 'Webhook', at: webhook.at, place: `#w${webhook.number}` });
    return [...steps, ...lines.flatMap((line) => ownStep(line, place) ?? [])];
  }
}

const lasting = (moves: readonly Move[] = []): readonly Move[] =>
  moves.filter(
    ({ at, state }, place) =>
      state !== 'PENDING' || (moves[place + 1]?.at ?? Infinity) - at >= SHORTEST_PENDING_MS,
  );

/** Reads the shop's step for an order from a line of its log. */
function ownStep(
  { at: time, event, act, said, why }: Line,
  place: string,
): (Step & { readonly at: number }) | undefined {
  const step = { at: Date.parse(time), place };
  if (event === 'order-shipped') return { ...step, name: 'Parcel packed' };
  if (event === 'order-held') return { ...step, name: `Held: ${why}`, isBad: true };
  if (event !== 'office' || act !== 'refund') return undefined;
  const isBad = said !== 'paid';
  return { ...step, name: isBad ? `Refund: ${said}` : 'Refunded', isBad };
}

function withTimes(done: readonly (Step & { readonly at: number })[]): Step[] {
  return done.map((step, at) =>
    at === 0 ? step : { ...step, after: spanOf(step.at - done[at - 1]!.at) },
  );
}

/** Returns the steps that are still to come in a successful sale. */
function aheadOf({ state }: Invoice, done: readonly Step[]): Step[] {
  if (state === 'CANCELLED' || state === 'REVERSED') return [];
  const names = new Set(done.map(({ name }) => name));
  return AHEAD.filter((name) => !names.has(name)).map((name) => ({ name }));
}

function stateOf({ state }: Invoice, lines: readonly Line[]): Scene['state'] {
  const refund = lines.findLast(({ event, act }) => event === 'office' && act === 'refund');
  if (state === 'UNPAID') return 'open';
  if (state === 'PENDING') return 'pending';
  if (state !== 'PAID' || refund?.said === 'paid') return 'over';
  if (refund && !['refused', 'failed', 'stopped'].includes(refund.said ?? '')) return 'refunding';
  return lines.some(({ event }) => event === 'order-shipped') ? 'refundable' : 'paid';
}
