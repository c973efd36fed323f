// The goods of the shop. Pages show them, and only the Worker decides the price of an order.

export interface Good {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Decimal text in the shop's currency. */
  readonly price: string;
}

export const CURRENCY = 'EUR';
/** Most pieces of one good in an order. */
export const MOST_PIECES = 10;

export const GOODS: readonly Good[] = [
  { id: 'morning', title: 'Morning Blend, 250 g', note: 'Mild, for the filter', price: '9.50' },
  { id: 'harbour', title: 'Harbour Espresso, 500 g', note: 'Dark, for the pot', price: '16.80' },
  { id: 'filters', title: 'Paper filters, 100', note: 'Unbleached', price: '4.20' },
  { id: 'box', title: 'Tasting box', note: 'Six small bags', price: '38.00' },
];
