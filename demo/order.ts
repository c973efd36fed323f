import type { Money } from 'paystate';

/** What somebody wants to buy; its correlationId is its number in the shop and at the service. */
export interface Order {
  readonly correlationId: string;
  readonly title: string;
  readonly amount: Money;
}

const KEY = 'quiet-kettle.order';

/** The open order of this tab, also after a reload. */
export function keptOrder(): Order | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isOrder(kept) ? kept : undefined;
  } catch {
    return undefined; // storage may be forbidden, and what lies in it may be anybody's
  }
}

/** The same wish is the same order, so pressing twice or after a lost answer never makes a second one. */
export function orderFor(title: string, amount: Money): Order {
  const kept = keptOrder();
  const isSame =
    kept?.title === title &&
    kept.amount.amount === amount.amount &&
    kept.amount.currency === amount.currency;
  const order = isSame
    ? kept
    : { correlationId: `QK-${crypto.randomUUID().slice(0, 8).toUpperCase()}`, title, amount };
  store(JSON.stringify(order));
  return order;
}

/** The order is over: the next wish is a new one. */
export function forgetOrder(): void {
  store(undefined);
}

function store(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // without storage the order lives as long as the page
  }
}

function isOrder(kept: unknown): kept is Order {
  if (typeof kept !== 'object' || kept === null) return false;
  const { correlationId, title, amount } = kept as Record<string, unknown>;
  const { amount: digits, currency } = (amount ?? {}) as Record<string, unknown>;
  return [correlationId, title, digits, currency].every((part) => typeof part === 'string');
}
