import { ask, type Said } from './ask.ts';
import { movesOf } from './moves.ts';

/** What a button does; resolves when it is done. */
export interface PageAction {
  readonly label: string;
  run(): Promise<unknown>;
}

/** A noun as the page shows it. */
export interface Noun {
  /** The service's word, under which the world has it. */
  readonly name: string;
  /** As `move` calls it; absent where nothing moves it. */
  readonly subject?: string;
  readonly title: string;
  /** One of them, in a button's name. */
  readonly one: string;
  /** The member that identifies it. */
  readonly id: string;
  actions?(item: Said, scene: Scene): readonly PageAction[];
}

/** What is shown: an account and all that it has. */
export interface Scene {
  readonly account: string;
  readonly world: Said;
}

const pay =
  (target: unknown, more: object = {}) =>
  (): Promise<unknown> =>
    ask('POST', 'pay', { target, ...more });

export const NOUNS: readonly Noun[] = [
  {
    name: 'invoices',
    subject: 'invoice',
    title: 'Invoices',
    one: 'invoice',
    id: 'invoiceId',
    actions: invoiceActions,
  },
  {
    name: 'receive-requests',
    title: 'Receive requests',
    one: 'receive request',
    id: 'receiveRequestId',
    actions: receiveActions,
  },
  {
    name: 'receive-requests/receives',
    subject: 'receive',
    title: 'Receives',
    one: 'receive',
    id: 'receiveId',
  },
  { name: 'payments', subject: 'payment', title: 'Payments', one: 'payment', id: 'paymentId' },
  {
    name: 'currency-exchange-quotes',
    subject: 'currencyExchangeQuote',
    title: 'Exchanges',
    one: 'exchange',
    id: 'id',
  },
  { name: 'payouts', subject: 'payout', title: 'Payouts', one: 'payout', id: 'id' },
  { name: 'deposits', subject: 'deposit', title: 'Deposits', one: 'deposit', id: 'id' },
  {
    name: 'payment-methods/bank',
    subject: 'bankPaymentMethod',
    title: 'Bank payment methods',
    one: 'bank method',
    id: 'id',
  },
  {
    name: 'payout-originators',
    subject: 'payoutOriginator',
    title: 'Payout originators',
    one: 'originator',
    id: 'id',
  },
  { name: 'subscriptions', title: 'Webhook subscriptions', one: 'subscription', id: 'id' },
];

/** Everything that can be done to an item. */
export function actionsOf(
  { subject, id, actions }: Noun,
  item: Said,
  scene: Scene,
): readonly PageAction[] {
  const moves = subject === undefined ? [] : movesOf(subject, textOf(item['state']));
  return [
    ...(actions?.(item, scene) ?? []),
    ...moves.map(({ to, label }) => ({
      label,
      run: () => ask('POST', 'move', { subject, id: item[id], state: to }),
    })),
  ];
}

function invoiceActions(
  { invoiceId, state }: Said,
  { account, world }: Scene,
): readonly PageAction[] {
  if (state !== 'UNPAID') return [];
  return [
    { label: 'Pay', run: pay(invoiceId) },
    { label: 'Pay slowly, 10 s', run: () => underWay(pay(invoiceId, { pendingFor: 10_000 })()) },
    { label: 'Pay, and fail', run: pay(invoiceId, { fails: true }) },
    ...(quoteOf(invoiceId, world)
      ? [{ label: 'Let the quote end', run: () => endQuote(invoiceId, account) }]
      : []),
  ];
}

function quoteOf(invoiceId: unknown, world: Said): Said | undefined {
  return ((world['invoice-quotes'] ?? []) as readonly Said[]).find(
    (quote) => quote['invoiceId'] === invoiceId,
  );
}

function receiveActions({ bolt11 }: Said): readonly PageAction[] {
  return bolt11 ? [{ label: 'Pay', run: pay((bolt11 as Said)['invoice']) }] : [];
}

/** A payment that takes its time is not waited for, unless it is refused at once. */
async function underWay(payment: Promise<unknown>): Promise<void> {
  const state = ask('GET', 'state');
  await Promise.race([payment, state]);
  payment.catch(() => {});
}

/** Moves time to the end of the newest quote; nothing where it is over. */
async function endQuote(invoiceId: unknown, account: string): Promise<void> {
  const quote = quoteOf(invoiceId, await worldOf(account));
  const { now } = await ask<{ readonly now: number }>('GET', 'state');
  const left = Date.parse(textOf(quote?.['expiration'])) - now;
  if (left > 0) await ask('POST', 'advance', { duration: left });
}

/** All that an account has. */
export function worldOf(account: string): Promise<Said> {
  return ask('GET', `world?account=${encodeURIComponent(account)}`);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
