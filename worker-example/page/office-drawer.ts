import type { Money } from 'paystate/money';
import { ACTS, byId, make, type Order, say, wordFor } from './office-order.ts';

/** The shop's answer when you open one order. */
interface Look {
  readonly history: readonly { readonly at: number; readonly state: string; readonly note: string }[];
  readonly payments: readonly Money[];
  readonly compared: readonly { readonly fact: string; readonly shop: string; readonly service: string }[];
  /** The state of its invoice at the service. */
  readonly state?: string;
}

/** Asks the shop. Resolves to `undefined` if it refuses or doesn't answer. */
export type Ask = (act: string, wish: object) => Promise<unknown>;
type Act = (act: string, wish: object) => void;

const WORDS: Readonly<Record<string, string>> = { cancel: 'Cancel the order', ship: 'Pack it anyway' };

/**
 * One order with its history, its refund and the comparison. It reads again when the order changes.
 */
export class OfficeDrawer {
  readonly #ask: Ask;
  readonly #act: Act;
  #order: Order | undefined;
  #from: Element | null = null;

  constructor(ask: Ask, act: Act) {
    this.#ask = ask;
    this.#act = act;
    document.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.close();
    });
  }

  open(order: Order): void {
    this.#from = document.activeElement;
    this.#show(order);
    byId('drawer').querySelector<HTMLElement>('.close')!.focus();
  }

  /** Shows the order again if it has changed. */
  renew(order: Order | undefined): void {
    if (order && order.orderId === this.#order?.orderId && order !== this.#order) this.#show(order);
  }

  get orderId(): string {
    return this.#order?.orderId ?? '';
  }

  close(): void {
    if (!this.#order) return;
    this.#order = undefined;
    byId('drawer').hidden = true;
    (this.#from as HTMLElement | null)?.focus();
  }

  #show(order: Order): void {
    const { orderId, what, total, state, note } = order;
    const hadFocus = byId('drawer').contains(document.activeElement);
    const title = make('h2', '', orderId);
    title.id = 'drawer-title';
    const close = make('button', 'close', '×');
    close.type = 'button';
    close.setAttribute('aria-label', 'Close the order');
    close.addEventListener('click', () => this.close());
    const isNew = this.#order?.orderId !== orderId;
    this.#order = order;
    const more = isNew ? make('div', 'more') : (byId('drawer').querySelector('.more') ?? make('div', 'more'));
    const word = make('p', 'state', wordFor(state));
    word.dataset.state = state;
    byId('drawer').hidden = false;
    byId('drawer').replaceChildren(
      make('div', 'head', title, close),
      make('p', 'sum', make('bdi', '', say(total))),
      make('p', 'what', make('bdi', '', what)),
      word,
      make('p', 'note', note),
      ...this.#controls(order),
      more,
    );
    if (hadFocus) close.focus();
    void this.#look(order, more);
  }

  async #look(order: Order, place: Element): Promise<void> {
    const look = (await this.#ask('look', { orderId: order.orderId })) as Look | undefined;
    if (this.#order !== order) return;
    if (!look) return place.replaceChildren(make('p', 'note', 'The service does not answer. Open the order again in a moment.'));
    place.replaceChildren(make('h3', '', 'History'), historyOf(look), make('h3', '', 'Compared with the service'), comparedOf(look));
  }

  #controls(order: Order): readonly HTMLElement[] {
    const { orderId, state } = order;
    return (ACTS[state] ?? []).map((act) => {
      if (act === 'refund') return this.#refund(order);
      const button = make('button', act, WORDS[act]!);
      button.type = 'button';
      button.addEventListener('click', () => this.#act(act, { orderId }));
      return button;
    });
  }

  #refund({ orderId, total }: Order): HTMLElement {
    const name = crypto.randomUUID(); // a second press is the same refund
    const [amount, to, reason] = ['amount', 'to', 'reason'].map((field) =>
      Object.assign(make('input'), { name: field, required: field !== 'reason', autocomplete: 'off' }),
    ) as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
    Object.assign(amount, { value: total.amount, inputMode: 'decimal', pattern: '\\d+(\\.\\d+)?', title: 'A number such as 16.80' });
    to.placeholder = 'name@wallet.example';
    reason.maxLength = 200;
    const send = make('button', 'refund first', 'Refund');
    const form = make(
      'form',
      'refunding',
      make('h3', '', 'Refund'),
      make('label', 'field', `Amount in ${total.currency}`, amount),
      make('label', 'field', 'To: a Lightning address or an invoice from the customer', to),
      make('label', 'field', 'Reason, for the history', reason),
      send,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const isAll = amount.value === total.amount;
      this.#act('refund', {
        orderId,
        name,
        to: to.value.trim(),
        reason: reason.value.trim(),
        ...(!isAll && { amount: amount.value }),
      });
    });
    return form;
  }
}

/** Returns the history as a list, with the note as the reason of each change. */
function historyOf({ history, payments }: Look): HTMLElement {
  const list = make('ol', 'history');
  for (const { at, state, note } of history) {
    const time = make('time', '', new Date(at).toLocaleTimeString('en-GB'));
    time.title = new Date(at).toLocaleString('en-GB');
    const word = state === 'open' ? 'Ordered' : wordFor(state);
    list.append(make('li', '', time, make('span', '', note ? `${word}: ${note}` : word)));
  }
  if (payments.length > 0)
    list.append(make('li', '', make('span', 'label', 'Received'), make('span', '', payments.map(say).join(' + '))));
  return list;
}

function comparedOf({ compared, state }: Look): HTMLElement {
  if (compared.length === 0) return make('p', 'note', 'Nothing yet: no payment has come in.');
  const list = make('dl', 'compared');
  for (const { fact, shop, service } of compared) {
    const agrees = shop === service;
    const value = agrees ? service : `${shop} in the shop, ${service} at the service`;
    list.append(make('dt', '', fact), make('dd', agrees ? 'same' : 'differs', value));
  }
  list.append(make('dt', '', 'State'), make('dd', '', state ?? ''));
  return list;
}
