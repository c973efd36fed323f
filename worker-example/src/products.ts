import type { InvoiceDraft } from 'paystate';
import { type Money, money, multiplyMoney } from 'paystate/money';

interface Product {
  readonly title: string;
  readonly price: Money<'EUR'>;
}

/** What the shop sells. A page names ids and counts; prices are decided here. */
const PRODUCTS: Readonly<Record<string, Product>> = {
  morning: { title: 'Morning Blend, 250 g', price: money('9.50', 'EUR') },
  harbour: { title: 'Harbour Espresso, 500 g', price: money('16.80', 'EUR') },
  box: { title: 'Tasting box', price: money('38.00', 'EUR') },
};

const MOST_PIECES = 10;

/** The shop's price for what a page asks for; nothing where it asks for anything but a product and a count. */
export function draftFor(wish: unknown): InvoiceDraft | undefined {
  const { product, count } = (wish ?? {}) as {
    readonly product?: unknown;
    readonly count?: unknown;
  };
  const known =
    typeof product === 'string' && Object.hasOwn(PRODUCTS, product) ? PRODUCTS[product] : undefined;
  if (
    !known ||
    !Number.isInteger(count) ||
    (count as number) < 1 ||
    (count as number) > MOST_PIECES
  )
    return undefined;
  return {
    amount: multiplyMoney(known.price, String(count)),
    description: `${count} × ${known.title}`,
  };
}
