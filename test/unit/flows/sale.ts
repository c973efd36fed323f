// A shop whose checkouts are looked at, and quotes and reads that no sandbox gives.
import type { Invoice, InvoiceQuote } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11 } from 'paystate/lightning/signature';
import { KEY } from '../lightning/invoice-drafts.ts';
import { altered, type Answers, type Record, record, type Shop } from '../state/shop.ts';

export type Sale = ReturnType<typeof checkout>;
export type Options = Omit<Parameters<typeof checkout>[1], 'invoiceId'>;

/** A checkout of a new invoice that has been open for a second. */
export async function openSale(
  shop: Shop,
  options: Options = {},
): Promise<{ invoice: Invoice; sale: Sale; log: Record<CheckoutView> }> {
  const invoice = await shop.invoice();
  const sale = checkout(shop.client, { invoiceId: invoice.invoiceId, ...options });
  const log = record(sale);
  await shop.sandbox.advance(1_000);
  return { invoice, sale, log };
}

export const codeOf = (view: CheckoutView | undefined) =>
  view?.phase === 'awaiting' ? view.quote : undefined;

export const phases = (log: Record<CheckoutView>) => log.values.map(({ phase }) => phase);

/** The codes that were shown, each once, in their order. */
export const codesOf = (log: Record<CheckoutView>) => [
  ...new Set(log.values.flatMap((view) => codeOf(view)?.lnInvoice ?? [])),
];

export const asked = (shop: Shop, end: '/quote' | '{invoiceId}') =>
  shop.requests.filter(({ path, attempt }) => path.endsWith(end) && attempt === 1);

/** Changes each quote, or each single read of an invoice. */
export const changed =
  (
    what: 'quote' | 'invoice',
    change: (json: never, url: string) => unknown | Promise<unknown>,
  ): Answers =>
  async (url, ask) => {
    const fits = what === 'quote' ? url.endsWith('/quote') : /\/v1\/invoices\/[^/]+$/.test(url);
    if (!fits) return ask();
    const answer = await ask();
    if (!answer.ok) return answer;
    return altered(answer, (json) => change(json, url));
  };

/** The quote with other fields in its code. */
export function withFields(
  quote: InvoiceQuote,
  fields: Partial<Parameters<typeof encodeBolt11>[0]>,
): InvoiceQuote {
  const { payee: _, ...said } = decodeBolt11(quote.lnInvoice);
  const draft = { ...said, fallbacks: [], routeHints: [], features: undefined, ...fields };
  return { ...quote, lnInvoice: encodeBolt11(draft, KEY) };
}
