import type { Money } from 'paystate';
import { formatMoney } from 'paystate/money';
import { readAmount } from './amount.ts';
import { byId, locale, make, say } from './page.ts';

interface Product {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  /** Absent if the customer chooses the amount. */
  readonly price?: Money;
}

const PRODUCTS: readonly Product[] = [
  {
    id: 'morning',
    title: 'Morning Blend, 250 g',
    note: 'Cocoa, hazelnut, no hurry',
    price: { amount: '9.50', currency: 'EUR' },
  },
  {
    id: 'harbour',
    title: 'Harbour Espresso, 500 g',
    note: 'Dark, round, good with milk',
    price: { amount: '16.80', currency: 'EUR' },
  },
  {
    id: 'box',
    title: 'Tasting box',
    note: 'Six small bags, shipped in the US',
    price: { amount: '38.00', currency: 'USD' },
  },
  { id: 'gift', title: 'Gift card', note: 'Any amount, in euro or dollars' },
];

/** The customer's choice. */
export interface Wish {
  readonly title: string;
  readonly amount: Money;
}

export interface Shop {
  show(visible: boolean): void;
  /** Shows a problem with the whole wish, and keeps the typed text. */
  complain(text: string): void;
}

/**
 * Starts the form, and calls `buy` with each complete wish. It waits for its end before the next
 * one.
 */
export function startShop(buy: (wish: Wish) => Promise<void>): Shop {
  const form = byId('order', HTMLFormElement);
  const own = byId('own', HTMLElement);
  const submit = byId('submit', HTMLButtonElement);
  byId('choices', HTMLElement).append(...PRODUCTS.map(choiceOf));
  const showOwn = (): void => void (own.hidden = chosen(form).price !== undefined);
  form.addEventListener('change', showOwn);
  form.addEventListener('input', () => complainOfAmount(''));
  showOwn();

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const wish = submit.ariaDisabled === 'true' ? undefined : wishOf(form);
    if (!wish) return;
    // Don't use `disabled`, because it would lose the keyboard's focus.
    submit.ariaDisabled = 'true';
    say(submit, 'Opening your order …');
    await buy(wish);
    submit.ariaDisabled = 'false';
    say(submit, 'Pay with Lightning');
  });

  return {
    show(visible) {
      byId('shop', HTMLElement).hidden = !visible;
      if (visible) byId('shop-title', HTMLElement).focus();
    },
    complain: (text) => say(byId('order-error', HTMLElement), text),
  };
}

function choiceOf({ id, title, note, price }: Product, at: number): HTMLLabelElement {
  const label = make('label', 'choice');
  const radio = make('input', '');
  Object.assign(radio, { type: 'radio', name: 'product', value: id, defaultChecked: at === 1 });
  const words = make('span', 'words');
  words.append(make('span', 'title', title), make('span', 'note', note));
  label.append(radio, words, make('span', 'price', price ? formatMoney(price, { locale }) : ''));
  return label;
}

function chosen(form: HTMLFormElement): Product {
  const id = new FormData(form).get('product');
  return PRODUCTS.find((product) => product.id === id) ?? PRODUCTS[0]!;
}

/** Returns the wish, or shows the missing entries and returns nothing. */
function wishOf(form: HTMLFormElement): Wish | undefined {
  const { title, price } = chosen(form);
  if (price) return { title, amount: price };
  const field = byId('amount', HTMLInputElement);
  const { rule, ...read } = readAmount(field.value, byId('currency', HTMLSelectElement).value);
  complainOfAmount(rule ?? '');
  if ('money' in read) return { title, amount: read.money };
  field.focus();
  return undefined;
}

function complainOfAmount(rule: string): void {
  say(byId('amount-error', HTMLElement), rule);
  say(byId('order-error', HTMLElement), '');
  byId('amount', HTMLInputElement).setAttribute('aria-invalid', String(rule !== ''));
}
