import { badInput } from '../core/errors/index.ts';
import {
  AccountObject,
  type AccountObjectOptions,
  createRelay,
  type DurableObjectContext,
  InvoiceRoom,
  type ObjectNamespace,
  type ObjectStub,
  type Relay,
  type TokenSettings,
} from '../relay/index.ts';
import type { Connection, Fetch } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { ADDRESS_HEADER } from '../relay/visitor.ts';
import type { ObjectHostOptions, SharedHostOptions } from './model.ts';
import { createObjectHost } from './object-host.ts';

/** What a relay in this process needs. */
export interface HostedRelayOptions
  extends Omit<AccountObjectOptions, 'rooms' | 'client'>,
    TokenSettings,
    SharedHostOptions,
    Pick<ObjectHostOptions<never>, 'open'> {
  /**
   * A client with the API key; with `postgresql` what makes one, each time that this process takes
   * the account over. Its `fetch` has to be the given one: it sends nothing once the account is
   * elsewhere.
   */
  readonly client: Connection | ((fetch: Fetch) => Connection);
  /** Where the relay answers; `/pay`. */
  readonly path?: string | undefined;
  /** Time for alarms, tokens and orders; the machine's own. */
  readonly clock?: Clock | undefined;
}

/** A relay whose objects live in this process, and end with it. */
export interface HostedRelay extends Relay {
  /**
   * Responds to what pages ask below the relay's path.
   *
   * @param request as it came
   * @param address the address that it came from, as the server knows it. Requests of one address
   * share   a part of the rate limits; without one none is counted by address.
   */
  handle(request: Request, address?: string): Promise<Response>;
  /** Ends it in this process; with `postgresql` the other processes go on at once. */
  close(): Promise<void>;
}

/**
 * The relay with its account object and rooms in this process, for servers in Node, Deno and Bun.
 * It is woken at once, so what was not finished before a restart goes on. With `postgresql` several
 * processes are one relay: a page may be connected to any of them, a webhook may come to any of
 * them, and where one is killed another goes on.
 *
 * @param options those of the account object and of the relay, and how a database is opened
 * @throws InputError for a short secret, an origin that is none, or a lifetime that is none
 * @example
 * const relay = createHostedRelay({
 *   open: (name) => openDatabase(`data/${name}.sqlite`),
 *   client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
 *   origin: 'https://shop.example',
 *   tokenSecret: env.TOKEN_SECRET,
 *   secrets: env.WEBHOOK_SECRET,
 *   on: { orderPaid: ({ orderId }, { key }) => ship(orderId, key) },
 * });
 */
export function createHostedRelay(options: HostedRelayOptions): HostedRelay {
  const { open, clock, path, origin, tokenSecret, tokenLifetime, client, ...rest } = options;
  const { postgresql, prefix, ownerTimeout, ...account } = rest;
  if (postgresql && typeof client !== 'function')
    throw badInput('client', 'must be a function that makes a client, where processes share it');
  const { accountName = 'main' } = account;
  const tokens: TokenSettings = { origin, tokenSecret, tokenLifetime, accountName };
  const host = createObjectHost({
    ...{ open, clock, postgresql, prefix, ownerTimeout, onProcessGone: () => wake() },
    classes: {
      ACCOUNT: (ctx) =>
        new AccountObject(ctx, { ...account, client: clientOf(client, ctx), rooms: rooms() }),
      ROOMS: (ctx) => new InvoiceRoom(ctx, { ...tokens, clock, account: accountOf }),
    },
  });
  const { ACCOUNT, ROOMS } = host.objects;
  const rooms = (): ObjectNamespace => ROOMS;
  const accountOf = (): ObjectStub => ACCOUNT.get(ACCOUNT.idFromName(accountName));
  const wake = (): void =>
    void accountOf()
      .fetch('https://object/wake')
      .catch(() => {});
  wake();
  const secrets = postgresql && account.secrets; // what is not signed goes to no other process
  const relay = createRelay({ ...tokens, path, clock, secrets, rooms: ROOMS, account: accountOf });
  return {
    ...relay,
    handle: (request, address) => relay.handle(withAddress(request, address)),
    close: () => host.close(),
  };
}

/** What is sent waits until what was decided before is where it outlives this process. */
function clientOf(
  client: HostedRelayOptions['client'],
  { storage }: DurableObjectContext,
): Connection {
  if (typeof client !== 'function') return client;
  return client(async (input, init) => {
    await storage.flush?.();
    return fetch(input, init);
  });
}

/** What a page says of its own address is not believed. */
function withAddress(request: Request, address: string | undefined): Request {
  const headers = new Headers(request.headers);
  headers.delete(ADDRESS_HEADER);
  if (address !== undefined) headers.set(ADDRESS_HEADER, address);
  return new Request(request, { headers });
}
