import type { Client } from 'paystate';
import type { AccountObjectOptions, Relay } from 'paystate/relay';
import type { Books } from './books.ts';
import { fulfil } from './fulfil.ts';
import { log } from './log.ts';
import { office } from './office.ts';
import { order, orderStatus } from './orders.ts';

/** The shop's environment, from `index.ts` on Cloudflare's runtime or from `node.ts` on Node. */
export interface Shop {
  /** Address of the shop's pages. */
  readonly origin: string;
  readonly tokenSecret: string;
  /** Opens the back office, which is closed without it. */
  readonly officeSecret?: string | undefined;
  readonly relay: Pick<Relay, 'createOrder' | 'handleWebhook'> & {
    handle(request: Request, from: { readonly address: string | null }): Promise<Response>;
  };
  /**
   * Counts an order of a visitor. Resolves to 0, or to the milliseconds until the next one is
   * allowed.
   */
  countOrder(visitor: string): Promise<number>;
  /** Sends a request to the desk, next to the books. */
  ask(act: string, wish: object): Promise<Response>;
  /** Returns the response that opens a socket of the back office. */
  openOffice(): Promise<Response>;
  /** Returns a file of the pages. */
  file(request: Request): Promise<Response>;
}

/** Responds to customers, staff and the service. `address` is the client's address. */
export async function respond(
  request: Request,
  shop: Shop,
  address: string | null,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  try {
    if (pathname === '/orders') return await order(request, shop, address);
    if (pathname.startsWith('/orders/')) return await orderStatus(request, shop, pathname.slice(8));
    if (pathname === '/hooks/main') return await shop.relay.handleWebhook(request);
    if (pathname.startsWith('/pay/')) return await shop.relay.handle(request, { address });
    if (pathname.startsWith('/office/')) return await office(request, shop);
    return await shop.file(request);
  } catch {
    // The object with the books is away or was just replaced. The client may ask again, because
    // nothing happens twice.
    log('unavailable', { path: pathname.split('/')[1] });
    return new Response(null, { status: 503, headers: { 'retry-after': '2' } });
  }
}

/**
 * Returns the options of the relay's account. It's subscribed to its webhooks once, by the list of
 * the service.
 */
export function accountOf(client: Client, books: Books, secret: string) {
  return {
    client,
    secrets: secret,
    on: {
      // Called only for the invoice that was made for the order. There's no handler for other
      // states, so a stranger's invoices delay no order. The cron finds invoices that were
      // cancelled or reversed elsewhere.
      orderPaid: ({ invoice }) => fulfil(books, invoice),
    },
    onProblem: (problem) => {
      // a handler's error may hold anything, so it's not logged
      const { invoiceId, reason, key } = problem as Partial<Record<string, string>>;
      const error = problem.kind === 'store-failed' ? String(problem.error) : undefined;
      log('problem', { kind: problem.kind, invoiceId, reason, key, error });
      if (problem.kind === 'not-ours')
        books.addStray(problem.invoiceId, problem.reason).catch(() => log('stray-not-kept'));
    },
  } satisfies Pick<AccountObjectOptions, 'client' | 'secrets' | 'on' | 'onProblem'>;
}

/** Returns the address for the service's webhooks. */
export const webhookUrlOf = (origin: string): string => `${origin}/hooks/main`;
