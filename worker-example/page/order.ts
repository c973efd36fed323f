/** The Worker's answer to a new order. This page keeps only its secret, in this tab. */
export interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

const KEY = 'order';
const NEXT = 'next order';

/** Returns the order of this tab, also after a reload. */
export function keptOrder(): Order | undefined {
  const { orderId, orderSecret } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Partial<Order>;
  return orderId && orderSecret ? { orderId, orderSecret } : undefined;
}

export function forgetOrder(): void {
  sessionStorage.removeItem(KEY);
}

/** Draws the key of the next order. Until it's removed, every click is the same order. */
function orderKey(cart: string): string {
  const kept = JSON.parse(sessionStorage.getItem(NEXT) ?? '{}') as { key?: string; cart?: string };
  if (kept.key && kept.cart === cart) return kept.key;
  const key = crypto.randomUUID();
  sessionStorage.setItem(NEXT, JSON.stringify({ key, cart }));
  return key;
}

/** Orders the cart. The Worker decides the price. */
export async function placeOrder(cart: Readonly<Record<string, number>>): Promise<Order> {
  const key = orderKey(JSON.stringify(cart));
  const answer = await fetch('/orders', { method: 'POST', body: JSON.stringify({ key, cart }) });
  if (!answer.ok) throw new Error(answer.status === 429 ? 'Too many orders at once. Try again in a minute.' : 'The shop did not take the order. You were not charged.');
  const order = (await answer.json()) as Order;
  sessionStorage.setItem(KEY, JSON.stringify(order));
  sessionStorage.removeItem(NEXT);
  return order;
}

/** Returns the shop's state of the order, such as packed, or nothing if the shop is away. */
export async function orderState({ orderId, orderSecret }: Order): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${orderSecret}` };
  const answer = await fetch(`/orders/${orderId}`, { headers }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as { state: string }).state : undefined;
}

export interface Pass {
  readonly token: string;
  readonly invoiceId: string;
  readonly expiresIn: number;
}

/** The order's secret has expired, so it's useless to ask again. */
class OrderOver extends Error {}

/** Tokens are renewed when they have less time left than this, milliseconds. */
const MARGIN = 60_000;

/**
 * Returns a function that gives tokens for the order's invoice. It exchanges the order's secret for
 * them, and keeps each until it nearly expires or is refused. The refusal counts because the clock
 * of a sleeping page may stand still.
 */
export function passesFor({ orderId, orderSecret }: Order): (last?: { readonly refused: string }) => Promise<Pass> {
  let kept: Promise<Pass> | undefined;
  let token = '';
  let end = 0;
  async function exchange(): Promise<Pass> {
    const headers = { authorization: `Bearer ${orderSecret}` };
    const answer = await fetch('/pay/token', { method: 'POST', headers, body: JSON.stringify({ orderId }) });
    if (answer.status === 401) throw new OrderOver('This order can no longer be opened.');
    if (!answer.ok) throw new Error('The shop is not answering. Try again in a moment.');
    const pass = (await answer.json()) as Pass;
    end = performance.now() + pass.expiresIn * 1_000 - MARGIN;
    token = pass.token;
    return pass;
  }
  return (last) => {
    if (kept && performance.now() < end && last?.refused !== token) return kept;
    end = Infinity;
    token = '';
    kept = exchange();
    kept.catch(() => (kept = undefined));
    return kept;
  };
}

const LONGEST_WAIT = 30_000;

/** Asks for the first token of an order until the shop answers. */
export async function firstPass(
  pass: () => Promise<Pass>,
  wait: (ms: number) => Promise<unknown> = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<Pass> {
  for (let ms = 1_000; ; ms = Math.min(LONGEST_WAIT, 2 * ms)) {
    try {
      return await pass();
    } catch (thrown) {
      if (thrown instanceof OrderOver) throw thrown;
      await wait(ms);
    }
  }
}
