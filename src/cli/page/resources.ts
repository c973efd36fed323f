import { ask, type Said } from './ask.ts';

/** What a button does; resolves when it is done. */
export interface PageAction {
  readonly label: string;
  run(): Promise<unknown>;
}

/** A move of the world outside: the state to come, and the word for it. */
export interface Move {
  readonly to: string;
  readonly label: string;
}

/** A resource as the page shows it. The server makes them from the registry. */
export interface PageResource {
  /** The service's word, under which the world has it. */
  readonly name: string;
  /** The resource's name, as `move` calls it. */
  readonly subject: string;
  readonly title: string;
  /** One of them, in a button's name. */
  readonly one: string;
  /** The member that identifies it. */
  readonly id: string;
  /** What the world outside does to it, by its state. */
  readonly moves: Readonly<Record<string, readonly Move[]>>;
  /** What to do where there is none. */
  readonly empty: string;
}

export async function loadResources(): Promise<readonly PageResource[]> {
  return (await fetch('/_page/resources.json')).json() as Promise<readonly PageResource[]>;
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

/** What only this resource's items can have done to them. */
const ACTIONS: Readonly<Record<string, (item: Said, scene: Scene) => readonly PageAction[]>> = {
  invoice: invoiceActions,
  receiveRequest: receiveActions,
};

/** Everything that can be done to an item. */
export function actionsOf(
  { subject, id, moves }: PageResource,
  item: Said,
  scene: Scene,
): readonly PageAction[] {
  return [
    ...(ACTIONS[subject]?.(item, scene) ?? []),
    ...(moves[textOf(item['state'])] ?? []).map(({ to, label }) => ({
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
    { label: 'Pay slowly, 10 s', run: pay(invoiceId, { pendingFor: 10_000, wait: false }) },
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

/** The BOLT11 text by which an item can be paid now; empty where there is none. */
export function payCodeOf({ subject }: PageResource, item: Said, { world }: Scene): string {
  if (subject === 'receiveRequest')
    return textOf((item['bolt11'] as Said | undefined)?.['invoice']);
  const isOpen = subject === 'invoice' && item['state'] === 'UNPAID';
  return isOpen ? textOf(quoteOf(item['invoiceId'], world)?.['lnInvoice']) : '';
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
