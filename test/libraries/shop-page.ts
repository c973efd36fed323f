// What the pages of all libraries are tried on: a shop, an element, and what must be left of a page: nothing.
import { expect } from 'chai';
import type { Invoice } from 'paystate';
import { openShop, refusal, type Shop } from '../unit/state/shop.ts';
import { withReports } from '../unit/state/reports.ts';

export { openShop, type Shop, withReports };

/** A shop with one invoice of 12.50 EUR. */
export async function openInvoice(): Promise<Shop & { readonly created: Invoice }> {
  const shop = openShop();
  return { ...shop, created: await shop.invoice() };
}

/** A shop that refuses to show any invoice. */
export const closedShop = (): Shop =>
  openShop({}, (url, ask) =>
    url.includes('/v1/invoices') ? Promise.resolve(refusal(403, 'FORBIDDEN')) : ask(),
  );

/** A shop that refuses the credential until it is opened. */
export function refusingShop(): { readonly shop: Shop; open(): void } {
  let isOpen = false;
  const shop = openShop({}, (_url, ask) =>
    isOpen ? ask() : Promise.resolve(refusal(401, 'UNAUTHORIZED')),
  );
  return { shop, open: () => void (isOpen = true) };
}

/** Requests for invoices that one plain subscriber costs in this time. */
export async function costOf(ms: number): Promise<number> {
  const { client, created, requests, sandbox } = await openInvoice();
  const { watchInvoice } = await import('paystate');
  requests.length = 0;
  watchInvoice(client, created.invoiceId).subscribe(() => {});
  await sandbox.advance(ms);
  return requests.length;
}

export function element(): HTMLElement {
  return document.body.appendChild(document.createElement('div'));
}

/** After a page has gone: no timer, and no request in ten minutes. */
export async function expectSilence({ sandbox, requests, timers }: Shop): Promise<void> {
  await sandbox.advance(0);
  expect(timers(), 'timers').to.equal(0);
  requests.length = 0;
  await sandbox.advance(600_000);
  expect(requests, 'requests').to.have.length(0);
}
