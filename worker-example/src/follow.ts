import { type Client, type Invoice, watchInvoices, whereInvoice } from 'paystate';
import type { Books } from './books.ts';
import { log } from './log.ts';
import { repair } from './reconcile.ts';

/** An invoice in any other state asks nothing of the books; one that is cancelled is left to who cancels, and to the cron. */
const DECIDED = whereInvoice(({ state }) => state.eq('PAID').or(state.eq('REVERSED')));

/**
 * Watches the newest 100 invoices that are paid or taken back, and compares each with the books when it is new or has
 * changed: what a lost webhook has left behind is mended within seconds, and not with the next cron. Returns a function that
 * ends it. `onEnd`: the service has refused to show the list; `onFreshness` is told how old the list is.
 */
export function follow(
  client: Client,
  books: Books,
  onEnd: () => void,
  onFreshness: (freshness: string) => void,
): () => void {
  const compared = new WeakSet<Invoice>(); // an invoice that does not change is the same object
  let hasRead = false;
  return watchInvoices(client, DECIDED).subscribe({
    next({ items = [], freshness }) {
      onFreshness(freshness);
      hasRead ||= freshness === 'live'; // until then it may show what an earlier watch has read minutes ago
      for (const invoice of hasRead ? items : []) {
        if (!compared.has(invoice)) compare(books, invoice);
        compared.add(invoice);
      }
    },
    error({ code }: { readonly code?: string }) {
      log('not-followed', { code });
      onEnd();
    },
  });
}

function compare(books: Books, invoice: Invoice): void {
  const { correlationId = '', issuerId, receiverId, state } = invoice;
  const order = books.get(correlationId);
  if (!order || issuerId !== receiverId) return;
  const done = repair(books, order, invoice);
  if (done) log('followed', { orderId: order.orderId, shop: order.state, service: state, done });
}
