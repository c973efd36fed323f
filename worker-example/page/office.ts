// The back office: every order as it is now. What customers and strangers have written is shown as text only.
import { type Line, openLine } from './office-line.ts';

interface Order {
  readonly orderId: string;
  readonly what: string;
  readonly total: { readonly amount: string; readonly currency: string };
  readonly state: string;
  readonly note: string;
  readonly created: number;
}

interface Message {
  readonly orders?: readonly Order[];
  readonly strays?: readonly { readonly invoice_id: string; readonly reason: string }[];
}

const KEY = 'office';
const ACTS: Readonly<Record<string, readonly string[]>> = {
  open: ['cancel'],
  held: ['ship', 'refund'],
  shipped: ['refund'],
};

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const element = (name: string, className: string, text: string): HTMLElement =>
  Object.assign(document.createElement(name), { className, textContent: text });
const say = (text: string): void => void (byId('said').textContent = text);

let line: Line | undefined;
const orders = new Map<string, Order>();

async function act(name: string, wish: object): Promise<void> {
  say('…');
  const headers = { authorization: `Bearer ${sessionStorage.getItem(KEY)}` };
  const init = { method: 'POST', headers, body: JSON.stringify(wish) };
  const answer = await fetch(`/office/${name}`, init).catch(() => undefined);
  if (!answer?.ok) return say('That did not work; try again.');
  const { said, differences = [] } = (await answer.json()) as { said?: string; differences?: readonly Record<string, string>[] };
  const lines = differences.map(({ orderId, shop, service, done }) => `${orderId}: ${shop} here, ${service} there, now ${done}`);
  say(said ?? (lines.join('; ') || 'Shop and service agree.'));
}

function buttonFor(name: string, { orderId }: Order): HTMLElement {
  const button = element('button', name, name[0]!.toUpperCase() + name.slice(1));
  const refundName = crypto.randomUUID(); // a second click is the same refund
  button.addEventListener('click', () => {
    const to = name === 'refund' ? prompt('Where to? What the customer has named, such as a Lightning address') : '';
    if (to !== null) void act(name, { orderId, to, name: refundName });
  });
  return button;
}

function draw(): void {
  const rows = [...orders.values()].sort((a, b) => b.created - a.created);
  byId('orders').replaceChildren(
    ...rows.map((order) => {
      const row = element('li', 'order', '');
      Object.assign(row.dataset, { order: order.orderId, state: order.state });
      const { amount, currency } = order.total;
      row.append(
        element('strong', 'number', order.orderId),
        element('span', 'state', order.state),
        element('span', 'what', `${order.what} · ${amount} ${currency}`),
        element('span', 'note', order.note),
        ...(ACTS[order.state] ?? []).map((name) => buttonFor(name, order)),
      );
      return row;
    }),
  );
}

function hear(message: string): void {
  const { orders: news = [], strays } = JSON.parse(message) as Message;
  if (strays) {
    orders.clear(); // everything comes anew
    byId('strays').replaceChildren(
      ...strays.map(({ invoice_id, reason }) => element('li', 'stray', `${invoice_id}: ${reason}`)),
    );
  }
  for (const order of news) orders.set(order.orderId, order);
  byId('door').hidden = true;
  byId('desk').hidden = false;
  draw();
}

function open(secret: string): void {
  line?.close();
  sessionStorage.setItem(KEY, secret); // of this tab only
  line = openLine(secret, hear, (text) => void (byId('line').textContent = text));
}

byId('door').addEventListener('submit', (event) => {
  event.preventDefault();
  open(String(new FormData(event.target as HTMLFormElement).get('secret')));
});
byId('reconcile').addEventListener('click', () => void act('reconcile', {}));
byId('close').addEventListener('click', () => {
  line?.close();
  sessionStorage.removeItem(KEY);
  location.reload();
});
const kept = sessionStorage.getItem(KEY);
if (kept) open(kept);
