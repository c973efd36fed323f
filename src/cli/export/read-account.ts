import type { Client } from '../../client.ts';
import type { Balance } from '../../resources/balances.ts';
import { currencyExchangeQuoteStates } from '../../resources/currency-exchange-quotes.ts';
import type { EventType } from '../../resources/events.types.ts';
import type { Invoice } from '../../resources/invoices.ts';
import { paymentStates } from '../../resources/payments.ts';
import type { StateMachine } from '../../resources/resource.ts';
import type { Store } from '../../stores/index.ts';
import { unlessRefused } from '../account.ts';
import { UsageError, type Progress } from '../command.ts';
import {
  depositLines,
  exchangeLines,
  type ExportLine,
  invoiceLines,
  paymentLines,
  payoutLines,
  receiveLines,
} from './lines.ts';

interface AccountReadOptions {
  /** Store for resources in a final state. */
  readonly kept: Store;
  /** The account's handle. Only needed if the invoices don't show which account this is. */
  readonly handle?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  progress(label: string): Progress;
}

/** All changes to an account's balances, and the balances after the read. */
export interface AccountLines {
  readonly lines: readonly ExportLine[];
  readonly balances: readonly Balance[];
  /** Whether the balances changed during the read, in which case they don't match the lines. */
  readonly hasMoved: boolean;
}

/** Reads the whole account. Takes a while, because it respects the rate limits. */
export async function readAccount(
  client: Client,
  options: AccountReadOptions,
): Promise<AccountLines> {
  const before = await client.balances.list();
  const lines = [
    ...(await readInvoices(client, options)),
    ...(await readAll(client.receiveRequests.listAllReceives(), 'receives', options)).flatMap(
      receiveLines,
    ),
    ...(await readNamed(client, options, {
      kind: 'payment',
      eventType: 'payment.created',
      states: paymentStates,
      read: (id) => client.payments.get(id),
      lines: (payment, created, source) => paymentLines(payment, { created, source }),
    })),
    ...(await readNamed(client, options, {
      kind: 'exchange',
      eventType: 'currency-exchange-quote.updated',
      states: currencyExchangeQuoteStates,
      read: (id) => client.currencyExchangeQuotes.get(id),
      lines: (quote, _, source) => exchangeLines(quote, source),
    })),
    ...(await readAll(client.payouts.list(), 'payouts', options)).flatMap(payoutLines),
    ...(await readAll(client.deposits.list(), 'deposits', options)).flatMap(depositLines),
  ];
  const balances = await client.balances.list();
  return { lines, balances, hasMoved: JSON.stringify(before) !== JSON.stringify(balances) };
}

async function readAll<T>(
  list: AsyncIterable<T>,
  label: string,
  { signal, progress }: AccountReadOptions,
  total?: number,
): Promise<readonly T[]> {
  const bar = progress(label);
  const all: T[] = [];
  try {
    for await (const one of list) {
      signal?.throwIfAborted();
      all.push(one);
      if (total !== undefined || all.length % 10 === 0) bar.show(all.length, total);
    }
  } finally {
    bar.end();
  }
  return all;
}

async function readInvoices(
  client: Client,
  options: AccountReadOptions,
): Promise<readonly ExportLine[]> {
  const invoices = await readAll(client.invoices.list(), 'invoices', options);
  const accountId =
    options.handle === undefined
      ? ownId(invoices)
      : (await client.accounts.getProfileByHandle(options.handle)).id;
  return invoices.flatMap((invoice) => invoiceLines(invoice, accountId));
}

function ownId(invoices: readonly Invoice[]): string | undefined {
  const [first, ...rest] = invoices;
  if (!first) return undefined;
  const all = rest.reduce<readonly string[]>(
    (ids, { issuerId, receiverId }) => ids.filter((id) => id === issuerId || id === receiverId),
    [...new Set([first.issuerId, first.receiverId])],
  );
  if (all.length !== 1)
    throw new UsageError('no invoice shows the handle of this account: pass it with --handle');
  return all[0];
}

/** A resource type without a list endpoint, so its ids come from events. */
interface NamedByEvents<T> {
  readonly kind: string;
  /** Event type that occurs for every resource of this type. */
  readonly eventType: EventType;
  readonly states: StateMachine<string>;
  read(id: string): Promise<T>;
  lines(value: T, created: string | undefined, source: ExportLine['source']): readonly ExportLine[];
}

/**
 * Reads all resources of a type without a list endpoint. Stores resources in a final state and
 * never reads them again.
 */
async function readNamed<T extends { readonly state: string }>(
  client: Client,
  options: AccountReadOptions,
  { kind, eventType, states, read, lines }: NamedByEvents<T>,
): Promise<readonly ExportLine[]> {
  const { kept } = options;
  const events = await readAll(client.events.list({ eventType }), `events ${eventType}`, options);
  const created = new Map(events.toReversed().map((event) => [event.data.entityId, event.created]));
  const before = new Map(
    (await kept.listOpen(`${kind}/`)).map(({ key, row }) => [
      key.slice(kind.length + 1),
      row.value as T,
    ]),
  );
  const ids = new Set([...events.map(({ data }) => data.entityId), ...before.keys()]);
  const readLines = async function* (): AsyncGenerator<readonly ExportLine[]> {
    for (const id of ids) {
      const source = created.has(id) ? 'event' : 'kept';
      const known = before.get(id);
      const value = known ?? (await unlessRefused(read(id)));
      const isFinal = value && states.transitions[value.state]?.length === 0;
      if (isFinal && !known) await kept.compareAndSet(`${kind}/${id}`, 0, value, true);
      yield value ? lines(value, created.get(id), source) : [unread(kind, id, source)];
    }
  };
  return (await readAll(readLines(), `${kind}s`, options, ids.size)).flat();
}

/**
 * Returns the line for a resource that couldn't be read, so its amount and currency are unknown.
 */
function unread(kind: string, id: string, source: ExportLine['source']): ExportLine {
  return { kind, id, state: 'UNREAD', currency: '', amount: '', effect: undefined, source };
}
