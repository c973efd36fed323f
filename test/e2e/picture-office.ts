// The table and the drawer of the back office with orders that do not change, for pictures.
import { OfficeDrawer } from '../../worker-example/page/office-drawer.ts';
import { byId, type Order } from '../../worker-example/page/office-order.ts';
import { OfficeTable } from '../../worker-example/page/office-table.ts';

const NOW = Date.UTC(2026, 10, 22, 14, 5);
const MINUTE = 60_000;
Date.now = () => NOW;

const euros = (amount: string) => ({ amount, currency: 'EUR' });
const row = (
  [orderId, what, amount, state, note = '']: readonly string[],
  minutes: number,
): Order => ({
  orderId: `QK-${orderId}`,
  what: what!,
  total: euros(amount!),
  state: state!,
  note,
  created: NOW - minutes * MINUTE,
});

const ORDERS = [
  row(['7F3A-91C2-0HQ3', '1 × Harbour Espresso, 500 g', '16.80', 'open'], 0.2),
  row(
    ['19XY-FNN6-6HQ3', '2 × Morning Blend, 250 g, 1 × Paper filters, 100', '23.20', 'shipped'],
    4,
  ),
  row(
    ['58VB-ES98-FDXB', '1 × Tasting box', '38.00', 'held', 'paid late: the order was expired'],
    90,
  ),
  row(['R0VW-H78E-5CFT', '3 × Harbour Espresso, 500 g', '50.40', 'refunding', '50.40 EUR'], 95),
  row(
    ['2ZKG-94GJ-9F39', '2 × Paper filters, 100', '8.40', 'refunded', '4.20 EUR (A torn box)'],
    700,
  ),
  row(['E22W-08D0-ZZJF', '1 × Morning Blend, 250 g', '9.50', 'cancelled'], 2_000),
  row(['8V1C-0T3D-5CY1', '1 × Morning Blend, 250 g', '9.50', 'reversed', 'was shipped'], 4_000),
];

const INVOICE = 'fdb92155-2643-4da9-9969-79fd1c250abc';
const RECEIVER = '032aa4bb-0a9e-4b3e-95f3-8ed9526b5489';
const agreeing = (fact: string, value: string) => ({ fact, shop: value, service: value });

const lookOf = (order: Order) => ({
  history: [
    { at: NOW - 4 * MINUTE, state: 'open', note: '' },
    { at: NOW - 3 * MINUTE, state: order.state, note: order.note },
  ],
  payments: [order.total],
  compared: [
    agreeing('Invoice', INVOICE),
    order.state === 'held'
      ? { fact: 'Amount', shop: order.total.amount, service: '30.00' }
      : agreeing('Amount', order.total.amount),
    agreeing('Currency', 'EUR'),
    agreeing('Order number', order.orderId),
    agreeing('Receiver', RECEIVER),
  ],
  state: 'PAID',
});

const drawer = new OfficeDrawer(
  (_, wish) => {
    const { orderId } = wish as { orderId: string };
    return Promise.resolve(lookOf(ORDERS.find((order) => order.orderId === orderId)!));
  },
  () => {},
);
const table = new OfficeTable((order) => drawer.open(order));

/** Each state of the back office. */
const STATES: Readonly<Record<string, () => void>> = {
  door() {
    for (const id of ['desk', 'tools', 'drawer']) byId(id).hidden = true;
    byId('door').hidden = false;
  },
  empty: () => show([], 'live'),
  orders: () => show(ORDERS, 'live'),
  old: () => show(ORDERS, 'may be old'),
  packed: () => openOrder('shipped'),
  held: () => openOrder('held'),
};

function show(orders: readonly Order[], freshness: string): void {
  drawer.close();
  byId('door').hidden = true;
  for (const id of ['desk', 'tools']) byId(id).hidden = false;
  byId('line').textContent = freshness === 'live' ? 'Live' : 'Connection lost. Retrying …';
  byId('line').classList.toggle('live', freshness === 'live');
  table.take(orders, true);
  table.setFreshness(freshness);
}

function openOrder(state: string): void {
  show(ORDERS, 'live');
  drawer.open(ORDERS.find((order) => order.state === state)!);
}

Object.assign(window, {
  states: Object.keys(STATES),
  async show(name: string) {
    STATES[name]!();
    await new Promise((resolve) => setTimeout(resolve));
    (document.activeElement as HTMLElement | null)?.blur();
  },
});
