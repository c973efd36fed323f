import type { InvoiceDraft } from 'paystate';
import { addMoney, type Money, money, multiplyMoney } from 'paystate/money';
import { CURRENCY, GOODS, MOST_PIECES } from './goods.ts';

/** Pieces by the id of a good. The page doesn't send prices. */
export type Cart = Readonly<Record<string, number>>;

const isCount = (count: unknown): count is number =>
  Number.isInteger(count) && (count as number) >= 1 && (count as number) <= MOST_PIECES;

/** Returns a cart of known goods in allowed numbers, or nothing if the input is anything else. */
export function readCart(wish: unknown): Cart | undefined {
  if (typeof wish !== 'object' || wish === null || Array.isArray(wish)) return undefined;
  const lines = Object.entries(wish);
  const isGood = ([id, count]: readonly [string, unknown]) =>
    isCount(count) && GOODS.some((good) => good.id === id);
  return lines.length > 0 && lines.every(isGood) ? (wish as Cart) : undefined;
}

/** Returns the shop's price for a cart, and the description on its invoice. */
export function draftFor(cart: Cart): InvoiceDraft & { readonly description: string } {
  const lines = GOODS.filter(({ id }) => Object.hasOwn(cart, id));
  const nothing: Money = money('0.00', CURRENCY);
  const amount = lines.reduce(
    (sum, { id, price }) => addMoney(sum, multiplyMoney(money(price, CURRENCY), String(cart[id]))),
    nothing,
  );
  const description = lines.map(({ id, title }) => `${cart[id]} × ${title}`).join(', ');
  return { amount, description };
}
