// The trial of a shop's receiver of webhooks by the command, with sales that it has to work on.
import { type Outcome, tryByCommand } from '../../e2e/command.ts';
import { ORIGIN, sandbox, type Shop, WEBHOOK_SECRET } from './shops.ts';

interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** Sells to a customer who pays; resolves to the id of the invoice, of which nobody has told yet. */
async function sell(port: number): Promise<string> {
  const post = async <T>(path: string, init: RequestInit): Promise<T> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init })).json();
  const { orderId, orderSecret } = await post<Order>('/orders', {});
  const { invoiceId } = await post<{ readonly invoiceId: string }>('/pay/token', {
    headers: { authorization: `Bearer ${orderSecret}`, origin: ORIGIN },
    body: JSON.stringify({ orderId }),
  });
  await sandbox.payer.pay(invoiceId);
  return invoiceId;
}

/** What the command says of a shop's receiver. */
export const tryShop = (shop: Shop): Promise<Outcome> =>
  tryByCommand({
    url: `http://127.0.0.1:${shop.port}/hooks/main`,
    secret: WEBHOOK_SECRET,
    event: () => sell(shop.port),
    effects: (id) => shop.shipped.filter((line) => line.includes(`:${id}:`)).length,
  });
