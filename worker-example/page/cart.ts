import { addMoney, formatMoney, type Money, money, multiplyMoney } from 'paystate/money';
import { CURRENCY, GOODS, MOST_PIECES } from '../src/goods.ts';

const say = (price: Money): string => formatMoney(price, { locale: 'en', bitcoinUnit: 'sat' });

const element = (name: string, className: string, text = ''): HTMLElement =>
  Object.assign(document.createElement(name), { className, textContent: text });

/** Returns the number of pieces by good. It leaves out goods without any. */
export function cartIn(form: HTMLFormElement): Readonly<Record<string, number>> {
  const wishes = GOODS.map(({ id }) => [id, Number(new FormData(form).get(id))] as const);
  return Object.fromEntries(wishes.filter(([, count]) => count > 0));
}

/** Returns the price of a cart for display. The Worker calculates its own sum, which counts. */
function totalOf(cart: Readonly<Record<string, number>>): Money {
  return GOODS.reduce(
    (sum, { id, price }) => addMoney(sum, multiplyMoney(money(price, CURRENCY), String(cart[id] ?? 0))),
    money('0.00', CURRENCY) as Money,
  );
}

/** Draws the goods into the form, and updates its total. */
export function showGoods(form: HTMLFormElement, goods: Element, total: Element): void {
  for (const { id, title, note, price } of GOODS) {
    const count = document.createElement('input');
    const facts = { name: id, type: 'number', min: '0', max: String(MOST_PIECES), required: true };
    Object.assign(count, facts, { value: id === 'harbour' ? '1' : '0', inputMode: 'numeric' });
    const words = element('span', 'good');
    words.append(element('span', 'title', title), element('span', 'note', note));
    const line = element('label', 'line');
    line.append(words, element('span', 'price', say(money(price, CURRENCY))), count);
    goods.append(line);
  }
  const sum = () => void (total.textContent = say(totalOf(cartIn(form))));
  form.addEventListener('input', sum);
  sum();
}
