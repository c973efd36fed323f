import { type Client, type Invoice, watchInvoices } from 'paystate';
import type { Books } from './books.ts';
import { log } from './log.ts';
import { repair } from './reconcile.ts';

const DAYS = 2 * 86_400_000;

/**
 * Watches the newest invoices while a back office is open: a payment whose webhook was lost, and one that was taken back,
 * is in the books within seconds, and not with the next cron. Returns a function that ends it.
 */
export function follow(client: Client, books: Books): () => void {
  const createdAfter = new Date(Date.now() - DAYS);
  return watchInvoices(client, { createdAfter }).subscribe({
    next({ items = [], freshness }) {
      if (freshness === 'live') for (const invoice of items) compare(books, invoice);
    },
    error: ({ code }: { readonly code?: string }) => log('not-followed', { code }),
  });
}

/** What is cancelled may be paid in part: that is left to who cancels, and to the cron. */
function compare(books: Books, invoice: Invoice): void {
  const { correlationId = '', issuerId, receiverId, state } = invoice;
  const order = books.get(correlationId);
  if (!order || issuerId !== receiverId || !['PAID', 'REVERSED'].includes(state)) return;
  const done = repair(books, order, invoice);
  if (done) log('followed', { orderId: order.orderId, shop: order.state, service: state, done });
}
