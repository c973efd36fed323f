import type { Client } from 'paystate';
import type { AccountObjectOptions, Relay } from 'paystate/relay';
import type { Books } from './books.ts';
import { fulfil } from './fulfil.ts';
import { log } from './log.ts';
import { office } from './office.ts';
import { order, orderStatus } from './orders.ts';

/**
 * What the shop is given by the place where it runs: `index.ts` on Cloudflare's runtime, `node.ts`
 * on Node.
 */
export interface Shop {
  /** Address of the shop's pages. */
  readonly origin: string;
  readonly tokenSecret: string;
  /** Opens the back office; without it, that is closed. */
  readonly officeSecret?: string | undefined;
  readonly relay: Pick<Relay, 'createOrder' | 'handleWebhook'> & {
    handle(request: Request, from: { readonly address: string | null }): Promise<Response>;
  };
  /**
   * Counts an order of a visitor, and resolves to 0; or to the milliseconds until the next one is
   * taken.
   */
  countOrder(visitor: string): Promise<number>;
  /** Asks the desk, which is where the books are. */
  ask(act: string, wish: object): Promise<Response>;
  /** The response that opens a socket of the back office. */
  openOffice(): Promise<Response>;
  /** A file of the pages. */
  file(request: Request): Promise<Response>;
}

/** Responds to customers, staff and the service; `address` is where the request came from. */
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
    // what keeps the books is away or was just replaced: whoever asks may ask again, and nothing
    // happens twice
    log('unavailable', { path: pathname.split('/')[1] });
    return new Response(null, { status: 503, headers: { 'retry-after': '2' } });
  }
}

/**
 * What the relay's account is made of: it is subscribed to its webhooks once, by the service's own
 * list.
 */
export function accountOf(client: Client, books: Books, secret: string) {
  return {
    client,
    secrets: secret,
    on: {
      // Called for the invoice that was made for the order, and for no other. No handler for other
      // states: then a stranger's invoices delay no order. The cron finds what was cancelled or
      // reversed elsewhere.
      orderPaid: ({ invoice }) => fulfil(books, invoice),
    },
    onProblem: (problem) => {
      // what a handler has thrown may hold anything: it is not logged
      const { invoiceId, reason, key } = problem as Partial<Record<string, string>>;
      const error = problem.kind === 'store-failed' ? String(problem.error) : undefined;
      log('problem', { kind: problem.kind, invoiceId, reason, key, error });
      if (problem.kind === 'not-ours')
        books.addStray(problem.invoiceId, problem.reason).catch(() => log('stray-not-kept'));
    },
  } satisfies Pick<AccountObjectOptions, 'client' | 'secrets' | 'on' | 'onProblem'>;
}

/** Where the service sends its webhooks. */
export const webhookUrlOf = (origin: string): string => `${origin}/hooks/main`;
