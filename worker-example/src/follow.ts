import { type Client, type Invoice, watchInvoices, whereInvoice } from 'paystate';
import type { Books } from './books.ts';
import { log } from './log.ts';
import { repair } from './reconcile.ts';

/**
 * Invoices in other states change nothing in the books. For cancelled ones, the caller that cancels
 * and the cron do that.
 */
const DECIDED = whereInvoice(({ state }) => state.eq('PAID').or(state.eq('REVERSED')));

/**
 * Watches the newest 100 invoices that are paid or reversed, and compares each with the books when
 * it's new or has changed. So a lost webhook is repaired within seconds, before the next cron.
 * Returns a function that ends it. It calls `onEnd` if the service refuses the list, and
 * `onFreshness` with the freshness of the list.
 */
export function follow(
  client: Client,
  books: Books,
  onEnd: () => void,
  onFreshness: (freshness: string) => void,
): () => void {
  const compared = new WeakSet<Invoice>(); // an unchanged invoice is the same object
  let hasRead = false;
  let last: Promise<unknown> = Promise.resolve(); // one by one, to spare the books
  const look = (invoice: Invoice) =>
    compare(books, invoice).catch((thrown: unknown) => {
      compared.delete(invoice); // the books were away, so the next emission or the cron tries again
      log('not-compared', { code: (thrown as { readonly code?: string }).code });
    });
  return watchInvoices(client, DECIDED).subscribe({
    next({ items = [], freshness }) {
      onFreshness(freshness);
      // until then the list may be from an earlier watch, minutes old
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
