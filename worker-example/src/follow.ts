import { type Client, type Invoice, watchInvoices, whereInvoice } from 'paystate';
import type { Books } from './books.ts';
import { log } from './log.ts';
import { repair } from './reconcile.ts';

/**
 * An invoice in any other state asks nothing of the books; one that is cancelled is left to who
 * cancels, and to the cron.
 */
const DECIDED = whereInvoice(({ state }) => state.eq('PAID').or(state.eq('REVERSED')));

/**
 * Watches the newest 100 invoices that are paid or taken back, and compares each with the books
 * when it is new or has changed: what a lost webhook has left behind is mended within seconds, and
 * not with the next cron. Returns a function that ends it. `onEnd`: the service has refused to show
 * the list; `onFreshness` is told how old the list is.
 */
export function follow(
  client: Client,
  books: Books,
  onEnd: () => void,
  onFreshness: (freshness: string) => void,
): () => void {
  const compared = new WeakSet<Invoice>(); // an invoice that does not change is the same object
  let hasRead = false;
  let last: Promise<unknown> = Promise.resolve(); // one after the other: the books are not flooded
  const look = (invoice: Invoice) =>
    compare(books, invoice).catch((thrown: unknown) => {
      compared.delete(invoice); // the books were away: the next emission, or the cron
      log('not-compared', { code: (thrown as { readonly code?: string }).code });
    });
  return watchInvoices(client, DECIDED).subscribe({
    next({ items = [], freshness }) {
      onFreshness(freshness);
      // until then it may show what an earlier watch has read minutes ago
      hasRead ||= freshness === 'live';
      for (const invoice of hasRead ? items : []) {
        if (compared.has(invoice)) continue;
        compared.add(invoice);
        last = last.then(() => look(invoice));
      }
    },
    error({ code }: { readonly code?: string }) {
      log('not-followed', { code });
      onEnd();
    },
  });
}

async function compare(books: Books, invoice: Invoice): Promise<void> {
  const { correlationId = '', issuerId, receiverId, state } = invoice;
  const order = await books.get(correlationId);
  if (!order || issuerId !== receiverId) return;
  const done = await repair(books, order, invoice);
  if (done) log('followed', { orderId: order.orderId, shop: order.state, service: state, done });
}
