import { ageOf, byId, make, type Order, say, STATES, wordFor } from './office-order.ts';

/** How often the ages are updated, milliseconds. */
const TICK = 1_000;

/** The table of orders, newest first, filtered by state. A click on a row opens its order. */
export class OfficeTable {
  readonly #orders: Map<string, Order> = new Map();
  readonly #open: (order: Order) => void;
  #chosen = '';
  #freshness = '';

  constructor(open: (order: Order) => void) {
    this.#open = open;
    setInterval(() => this.#tick(), TICK);
  }

  get(orderId: string): Order | undefined {
    return this.#orders.get(orderId);
  }

  /** Takes in new orders. With `isAll`, it drops all others. */
  take(orders: readonly Order[], isAll: boolean): void {
    if (isAll) this.#orders.clear();
    for (const order of orders) this.#orders.set(order.orderId, order);
    this.#draw();
  }

  /** Shows if the states are `live`, or why they may be old. */
  setFreshness(freshness: string): void {
    if (freshness === this.#freshness) return;
    this.#freshness = freshness;
    this.#draw();
  }

  #draw(): void {
    const all = [...this.#orders.values()].sort((a, b) => b.created - a.created);
    const shown = all.filter(({ state }) => !this.#chosen || state === this.#chosen);
    const focused = document.activeElement?.closest('tr')?.dataset.order;
    byId('orders').replaceChildren(...shown.map((order) => this.#row(order)));
    byId('empty').hidden = shown.length > 0;
    if (focused) document.querySelector<HTMLElement>(`[data-order="${focused}"] button`)?.focus();
    this.#drawFilter(all);
  }

  #row(order: Order): HTMLElement {
    const { orderId, what, total, state, note, created } = order;
    const number = make('button', 'number', orderId);
    number.type = 'button';
    const word = make('span', 'state', wordFor(state));
    const cell = make('td', 'is', word);
    if (this.#freshness !== 'live') cell.append(make('span', 'old', this.#freshness));
    if (note) cell.append(make('bdi', 'note', note));
    const age = make('td', 'age', make('bdi', '', ageOf(created)));
    age.title = new Date(created).toLocaleString('en-GB');
    const row = make(
      'tr',
      '',
      make('td', '', number),
      make('td', 'what', make('bdi', '', what)),
      make('td', 'amount', make('bdi', '', say(total))),
      cell,
      age,
    );
    Object.assign(row.dataset, { order: orderId, state });
    row.addEventListener('click', () => this.#open(order));
    return row;
  }

  #drawFilter(all: readonly Order[]): void {
    const states = Object.keys(STATES).filter((state) => all.some((one) => one.state === state));
    const choices = ['', ...states].map((state) => {
      const count = all.filter((one) => !state || one.state === state).length;
      const choice = make('button', 'choice', state ? wordFor(state) : 'All', make('span', 'count', String(count)));
      choice.type = 'button';
      choice.dataset.choice = state;
      choice.setAttribute('aria-pressed', String(state === this.#chosen));
      choice.addEventListener('click', () => {
        this.#chosen = state;
        this.#draw();
        document.querySelector<HTMLElement>(`[data-choice="${state}"]`)?.focus();
      });
      return choice;
    });
    const before = (document.activeElement as HTMLElement | null)?.dataset.choice;
    byId('filter').replaceChildren(...choices);
    if (before !== undefined)
      document.querySelector<HTMLElement>(`[data-choice="${before}"]`)?.focus();
  }

  #tick(): void {
    for (const row of document.querySelectorAll<HTMLElement>('tr[data-order]')) {
      const { created } = this.#orders.get(row.dataset.order!) ?? {};
      const age = row.querySelector('.age bdi')!;
      if (created !== undefined && age.textContent !== ageOf(created))
        age.textContent = ageOf(created);
    }
  }
}
