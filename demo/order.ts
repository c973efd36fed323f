import type { Money } from 'paystate';

/** An order. Its correlationId is its number in the shop and at the service. */
export interface Order {
  readonly correlationId: string;
  readonly title: string;
  readonly amount: Money;
}

const KEY = 'quiet-kettle.order';

/** Returns the open order of this tab, also after a reload. */
export function keptOrder(): Order | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isOrder(kept) ? kept : undefined;
  } catch {
    return undefined; // storage may be forbidden, or hold anything
  }
}

/**
 * Returns the same order for the same wish, so that a second click or a retry never creates another
 * one.
 */
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

/** Ends the order, so that the next wish is a new one. */
export function forgetOrder(): void {
  store(undefined);
}

function store(text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // without storage the order lasts as long as the page
  }
}

function isOrder(kept: unknown): kept is Order {
  if (typeof kept !== 'object' || kept === null) return false;
  const { correlationId, title, amount } = kept as Record<string, unknown>;
  const { amount: digits, currency } = (amount ?? {}) as Record<string, unknown>;
  return [correlationId, title, digits, currency].every((part) => typeof part === 'string');
}
