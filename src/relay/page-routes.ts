import type { Connection } from '../core/http/index.ts';
import { type InvoiceQuote, quote } from '../resources/invoices.ts';
import type { AccountStore } from './account-store.ts';
import type { Routes } from './calls.ts';
import type { AccountContract, FollowedInvoice, InvoiceVersion } from './contracts.ts';
import type { FollowedInvoices } from './followed.ts';
import { type InvoiceReader, isOpen } from './invoice-reader.ts';
import type { Orders } from './orders.ts';
import { PLACE_WAIT, QUOTE_MEMBERS, pickMembers } from './routes.ts';
import type { ServiceOutage } from './service-outage.ts';
import type { Shares } from './shares.ts';

/** A room says every minute that pages follow; two messages may be lost. */
const FOLLOWED_FOR = 150_000;
/** One that a page reads without a socket; it asks again, or it is gone. */
const READ_FOLLOWED_FOR = 30_000;

/** What an account object serves pages with. */
interface PageServices {
  readonly client: Connection;
  readonly store: AccountStore;
  readonly reader: InvoiceReader;
  readonly followed: FollowedInvoices;
  readonly shares: Shares;
  readonly outage: ServiceOutage;
  readonly orders: Orders;
}

/** What the account object does for pages, whom gateway and rooms speak for. */
export function pageRoutes(services: PageServices): Routes<AccountContract> {
  const { orders } = services;
  return {
    follow: ({ invoiceId }) => follow(services, invoiceId),
    read: async (asked) => (await readForPage(services, asked)).value,
    quote: (asked) => quoteForPage(services, asked),
    'create-order': (order) => {
      orders.add(order);
      return {};
    },
    'open-order': (order) => orders.open(order),
  };
}

function follow({ store, followed }: PageServices, invoiceId: string): FollowedInvoice {
  followed.follow(invoiceId, FOLLOWED_FOR);
  const confirmedFor = followed.confirmedFor(invoiceId);
  return { version: store.version(invoiceId), confirmedFor };
}

/**
 * One that a page reads without a socket is followed for a while, for it will read again: all of
 * them are watched by the same lists. What is settled is read by itself, if a page asks.
 */
async function readForPage(
  { reader, followed }: PageServices,
  asked: AccountContract['read']['request'],
): Promise<InvoiceVersion> {
  const version = await reader.readRecent(asked);
  if (!isOpen(version.value)) return version;
  followed.follow(asked.invoiceId, READ_FOLLOWED_FOR, true);
  return version;
}

async function quoteForPage(
  { client, shares, outage }: PageServices,
  { invoiceId, visitor }: AccountContract['quote']['request'],
): Promise<InvoiceQuote> {
  const options = { reason: 'a code for pages', queueTimeout: PLACE_WAIT };
  const made = await outage.ask((tries) => {
    shares.take('quote', { id: invoiceId, visitor });
    return quote(client, invoiceId, {}, { ...options, ...tries });
  });
  return pickMembers(made, QUOTE_MEMBERS);
}
