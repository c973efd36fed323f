// An order in the back office, and the words for it.
import { formatMoney, type Money } from 'paystate/money';

export interface Order {
  readonly orderId: string;
  readonly what: string;
  readonly total: Money;
  readonly state: string;
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/** The states, in the order of the filter. */
export const STATES: Readonly<Record<string, string>> = {
  open: 'Not paid',
  held: 'Held',
  shipped: 'Packed',
  refunding: 'Refund on its way',
  refunded: 'Refunded',
  cancelled: 'Cancelled',
  expired: 'Expired',
  reversed: 'Payment returned',
};

/** The buttons for an order in each state. */
export const ACTS: Readonly<Record<string, readonly string[]>> = {
  open: ['cancel'],
  held: ['ship', 'refund'],
  shipped: ['refund'],
};

export const wordFor = (state: string): string => STATES[state] ?? state;
export const say = (money: Money): string =>
  formatMoney(money, { locale: 'en', bitcoinUnit: 'sat' });

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Returns the age of an order as text. */
export function ageOf(created: number): string {
  const age = Math.max(0, Date.now() - created);
  const [unit, ms] = UNITS.find(([, length]) => age >= length) ?? ['s', 1_000];
  return `${Math.floor(age / ms)} ${unit}`;
}

/** Makes an element with a text, which is never read as HTML. */
export const make = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const element = Object.assign(document.createElement(name), { className });
  element.append(...children);
  return element;
};

export const byId = (id: string): HTMLElement => document.getElementById(id)!;
