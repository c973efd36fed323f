// The back office with every order as it is now. Texts from customers and strangers are never HTML.
import { OfficeDrawer } from './office-drawer.ts';
import { type Line, openLine } from './office-line.ts';
import { byId, make, type Order } from './office-order.ts';
import { OfficeTable } from './office-table.ts';

interface Message {
  readonly orders?: readonly Order[];
  readonly strays?: readonly { readonly invoice_id: string; readonly reason: string }[];
  /** The freshness of the service's list, which the books are compared with. */
  readonly freshness?: string;
}

/** A difference between the books and the service, and the order's state after the repair. */
interface Difference {
  readonly orderId: string;
  readonly shop: string;
  readonly service: string;
  readonly done: string;
}

const KEY = 'office';
/**
 * The start command opens the back office for this browser, because its server adds the password.
 */
const IS_OPEN = location.hash === '#open';
const SAID: Readonly<Record<string, string>> = {
  cancelled: 'Cancelled.',
  shipped: 'Packed.',
  paid: 'Refunded.',
  refused: 'The refund was refused. Nothing was sent.',
  failed: 'The refund failed. Nothing was sent.',
};

let line: Line | undefined;
let isLive = false;
let freshness = 'loading';

const say = (...lines: readonly string[]): void =>
  byId('said').replaceChildren(...lines.map((text) => make('li', '', text)));

async function ask(act: string, wish: object): Promise<unknown> {
  const secret = sessionStorage.getItem(KEY);
  const headers: HeadersInit = secret ? { authorization: `Bearer ${secret}` } : {};
  const init = { method: 'POST', headers, body: JSON.stringify(wish) };
  const answer = await fetch(`/office/${act}`, init).catch(() => undefined);
  return answer?.ok ? answer.json() : undefined;
}

async function act(name: string, wish: object): Promise<void> {
  say('…');
  const answer = (await ask(name, wish)) as { said?: string } | undefined;
  const { said } = answer ?? {};
  const { orderId = '' } = wish as { orderId?: string };
  if (!said) say('That did not work. Try again; nothing is done twice.');
  else say(`${orderId}: ${SAID[said] ?? `${said}.`}`);
}

async function compare(): Promise<void> {
  say('Comparing …');
  const answer = (await ask('reconcile', {})) as { differences?: readonly Difference[] } | undefined;
  if (!answer?.differences) return say('The service does not answer. Try again in a moment.');
  const lines = answer.differences.map(
    ({ orderId, shop, service, done }) =>
      `${orderId}: the shop said ${shop}, the service says ${service}. ${done === 'nothing' ? 'Nothing was changed.' : `It is ${done} now.`}`,
  );
  say(...(lines.length > 0 ? lines : ['The shop and the service agree.']));
}

const drawer = new OfficeDrawer(ask, (name, wish) => void act(name, wish));
const table = new OfficeTable((order) => drawer.open(order));

function showFreshness(): void {
  table.setFreshness(isLive ? (freshness === 'live' ? 'live' : 'not confirmed yet') : 'may be old');
}

function hear(message: string): void {
  const { orders = [], strays, freshness: said = freshness } = JSON.parse(message) as Message;
  freshness = said;
  showFreshness();
  if (strays)
    byId('strays').replaceChildren(
      ...strays.map(({ invoice_id, reason }) => make('li', '', `${invoice_id}: ${reason}`)),
    );
  byId('door').hidden = true;
  for (const id of ['desk', 'tools']) byId(id).hidden = false;
  if (orders.length === 0 && !strays) return;
  table.take(orders, strays !== undefined);
  drawer.renew(table.get(drawer.orderId));
}

function open(secret: string): void {
  line?.close();
  if (secret) sessionStorage.setItem(KEY, secret); // only for this tab
  line = openLine(secret, hear, (text) => {
    isLive = text === 'Live';
    byId('line').textContent = text;
    byId('line').classList.toggle('live', isLive);
    showFreshness();
  });
}

byId('door').addEventListener('submit', (event) => {
  event.preventDefault();
  open(String(new FormData(event.target as HTMLFormElement).get('secret')));
});
byId('reconcile').addEventListener('click', () => void compare());
byId('close').addEventListener('click', async () => {
  line?.close();
  sessionStorage.removeItem(KEY);
  if (IS_OPEN) await fetch('/office/leave', { method: 'POST' });
  history.replaceState(null, '', location.pathname);
  location.reload();
});
const kept = sessionStorage.getItem(KEY);
if (kept || IS_OPEN) open(kept ?? '');
