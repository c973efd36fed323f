import {
  badInput,
  checkMethods,
  checkOptions,
  isPaystateError,
  type Expected,
} from '../core/errors/index.ts';
import { type Connection, checkClient } from '../core/http/index.ts';
import { systemUuid } from '../core/platform.ts';
import { type Clock, countWait, systemClock, within } from '../core/time.ts';
import type { InvoiceDraft } from '../resources/invoices.ts';
import type { CreatedOrder } from '../relay/index.ts';
import {
  type AccountHandlers,
  checkAccountHandlers,
  AccountRows,
  Gateway,
  findNetwork,
  OrderSeals,
  Pages,
  PageTokens,
  refusalBy,
  refusalResponse,
  RelayTables,
  type RelayTablesOptions,
  type RowsTransaction,
  SqlRelayStore,
  type TokenSettings,
} from '../relay/rows.ts';
import type { Inbox, InboxOptions } from '../webhooks/index.ts';
import { PageSocket, upgradeTo } from './servers.ts';
import { ProcessLife } from './process-life.ts';
import { Writes } from './writes.ts';

/** Configuration for one of the relay's accounts. */
export interface HostedAccount {
  /** A client with the account's API key. */
  readonly client: Connection;
  /**
   * The account's webhook secrets, newest first. Without them, your handlers depend on the event
   * feed, which may be up to five minutes late.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /**
   * Event handlers. `orderPaid` is called for the relay's orders. All handlers that `createInbox`
   * supports are supported too.
   */
  readonly on?: AccountHandlers<RowsTransaction> | undefined;
  /** Handler for events and states without a handler in `on`, as in `createInbox`. */
  readonly otherwise?: InboxOptions<RowsTransaction>['otherwise'];
  /** Called with problems that can't be reported to a caller, as in `createInbox`. */
  readonly onProblem?: InboxOptions<RowsTransaction>['onProblem'];
  /** Maximum time that a handler may run, in milliseconds. Defaults to 300,000. */
  readonly leaseDuration?: number | undefined;
  /**
   * Time in milliseconds after which a handler counts as slow, as in `createInbox`. Defaults to
   * 30,000.
   */
  readonly handlerTimeout?: number | undefined;
}

/** Options for a relay on your own servers. */
export interface HostedRelayOptions extends RelayTablesOptions, Omit<TokenSettings, 'accountName'> {
  /**
   * Returns the configuration for the account with the given name, or `undefined` to respond with
   * 404. It's called once per name and process.
   */
  readonly account: (name: string) => HostedAccount | undefined;
  /**
   * URL for an account's webhooks, such as `https://shop.example/hooks/main`. If set, the relay
   * creates the subscription at startup unless it already exists.
   */
  readonly webhookUrl?: string | ((account: string) => string) | undefined;
  /** The relay's path. Defaults to `/pay`. Accounts other than `main` are at `/pay/<name>`. */
  readonly path?: string | undefined;
  /**
   * A name for this process's public IP address. Processes with the same IP address share its rate
   * limits. Defaults to `main`.
   */
  readonly egress?: string | undefined;
  /**
   * Clock for tokens and orders. With SQLite, it's also used for leases. Defaults to the system
   * clock.
   */
  readonly clock?: Clock | undefined;
}

/** The relay's health in this process. */
export interface RelayHealth {
  /**
   * Whether the relay is running in this process and the database has responded within the last ten
   * seconds and accepts writes.
   */
  readonly ok: boolean;
  /** Milliseconds since the database last responded. Absent before its first response. */
  readonly databaseAge?: number | undefined;
  /** Number of pages connected to this process. */
  readonly pages: number;
  /**
   * Number of handlers in this process that have exceeded `handlerTimeout` and are still running.
   * Absent if there are none.
   */
  readonly stuck?: number | undefined;
  /** Why the relay has stopped in this process without a call to `close`. Absent if it hasn't. */
  readonly reason?: string | undefined;
}

/** A relay on your own servers, with any number of processes and accounts. */
export interface HostedRelay {
  /** Resolves once the relay can use the database. Rejects if this process must not use it. */
  readonly ready: Promise<void>;
  /**
   * Responds to page requests under the relay's path.
   *
   * @param from the client's IP address, or `null` if your server doesn't know it
   * @throws InputError if `address` is missing
   */
  handle(request: Request, from: { readonly address: string | null }): Promise<Response>;
  /** Responds to a webhook delivery for an account. Never rejects. */
  handleWebhook(account: string, request: Request): Promise<Response>;
  /**
   * Stores an order with your price. Pass the result to the page. It contains the order's sealed
   * secret.
   *
   * @throws InputError if the draft or the account is invalid, and with the code
   * `PROCESSING_CONFLICT` if the `orderId` already has a different draft or secret.
   * UnreachableError with outcome `not-done` if the database rejected the order, or `unknown` if it
   * didn't respond
   */
  createOrder(
    account: string,
    draft: InvoiceDraft,
    own?: Partial<CreatedOrder>,
  ): Promise<CreatedOrder>;
  /** Creates a token for one invoice of an account. It's valid for `tokenLifetime`. */
  createToken(account: string, invoiceId: string): Promise<string>;
  /**
   * Returns the inbox of an account, with `status()`, `deadLetters()`, `redeliver(key)` and
   * `stuck`.
   */
  inbox(
    account: string,
  ): Promise<Pick<Inbox, 'status' | 'deadLetters' | 'redeliver' | 'stuck'> | undefined>;
  /** Runs the pending work of all accounts. The relay calls this function every second. */
  work(): Promise<void>;
  /** Returns the relay's health in this process, for your health check. */
  health(): RelayHealth;
  /**
   * Shuts down the relay in this process. Other processes immediately take over its pages and its
   * work.
   */
  close(): Promise<void>;
}

/** Interval between checks for pending work and for changes, in milliseconds. */
const TICK = 1_000;
/** Age at which database rows are deleted, in milliseconds. */
const MEMORY = 2_592_000_000;
const CLEAN_EVERY = 60_000;
const CLEANED = 500;
const MOST_ACCOUNTS = 1_000;
/** Milliseconds without a response after which the database counts as unavailable. */
const AWAY_AFTER = 10_000;
/** How long running work may continue after the relay is closed, in milliseconds. */
const END_WITHIN = 5_000;
const ACCOUNT = /^(?!(?:v1|live|token)$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAIN = 'main';

interface OpenAccount {
  readonly rows: AccountRows;
  readonly gateway: Gateway;
  readonly tokens: PageTokens;
}

/**
 * Creates a relay on your own servers, in Node, Deno or Bun. It stores its data in SQLite for a
 * single process, or in PostgreSQL for any number of processes. Any process can serve any page,
 * accept any webhook and run any handler. If a process is killed, another one takes over within
 * seconds.
 *
 * @param options the database, the accounts, the origin of the shop's pages and the token secret
 * @throws InputError if a secret is too short, if the origin, lifetime or prefix is invalid, or if
 * an option is unknown. If an account's options are invalid, `ready` rejects, or an error is thrown
 * when the account is first used
 *
 * @example
 * const relay = createHostedRelay({
 *   driver: sqliteDriver(openDatabase('data/shop.sqlite')),
 *   account: (name) =>
 *     name === 'main'
 *       ? {
 *           client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
 *           secrets: env.WEBHOOK_SECRET,
 *           on: { orderPaid: ({ orderId }, { key }) => ship(orderId, key) },
 *         }
 *       : undefined,
 *   origin: 'https://shop.example',
 *   tokenSecret: env.TOKEN_SECRET,
 * });
 */
export function createHostedRelay(options: HostedRelayOptions): HostedRelay {
  const host = new RelayHost(options);
  return {
    ready: host.ready,
    handle: (request, from) => host.handle(request, from),
    handleWebhook: (account, request) => host.handleWebhook(account, request),
    createOrder: (account, draft, own) => host.createOrder(account, draft, own),
    createToken: async (account, id) => (await host.mustOpen(account)).gateway.createToken(id),
    inbox: async (account) => (await host.mustOpen(account)).rows.inbox,
    work: () => host.work(),
    health: () => host.health(),
    close: () => host.close(),
  };
}

// Unknown options are rejected, because they would otherwise be silently ignored.
const OPTIONS: Expected<HostedRelayOptions> = {
  driver: 'object!',
  prefix: 'string',
  mayForget: 'boolean',
  tokenSecret: 'string|array!',
  origin: 'string!',
  tokenLifetime: 'number',
  account: 'function!',
  webhookUrl: 'string|function',
  path: 'string',
  egress: 'string',
  clock: 'object',
};

const ACCOUNT_OPTIONS: Expected<HostedAccount> = {
  client: 'any',
  secrets: 'string|array',
  on: 'object',
  otherwise: 'function',
  onProblem: 'function',
  leaseDuration: 'number',
  handlerTimeout: 'number',
};

class RelayHost {
  readonly ready: Promise<void>;
  readonly #options: HostedRelayOptions;
  readonly #clock: Clock;
  readonly #writes: Writes;
  readonly #tables: RelayTables;
  readonly #store: SqlRelayStore;
  readonly #life: ProcessLife;
  readonly #pages: Pages;
  readonly #accounts: Map<string, Promise<OpenAccount>> = new Map();
  readonly #begun: AccountRows[] = [];
  readonly #over: AbortController = new AbortController();
  #answeredAt: number | undefined;
  #cleanedAt: number = -Infinity;
  #reason: string | undefined;
  #ended: Promise<void> | undefined;
  #loops: readonly Promise<void>[] = [];

  constructor(options: HostedRelayOptions) {
    checkOptions(options ?? null, OPTIONS);
    checkMethods('driver', options.driver, 'batch');
    const { clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#writes = new Writes(options.driver);
    const driver = this.#writes.driver();
    this.#tables = new RelayTables({ ...options, driver }, () => clock.now());
    this.#store = new SqlRelayStore(this.#tables, systemUuid);
    this.#life = new ProcessLife({
      ...{ tables: this.#tables, store: this.#store, clock, id: systemUuid() },
      ending: this.#over.signal,
      heard: (account, invoiceId) => this.#pages.hear(account, invoiceId),
      buried: () => void this.#round(),
      outdated: (reason) => this.#stop(reason.message),
    });
    this.#pages = new Pages({
      ...{ store: this.#store, clock },
      wake: (account) => void this.#wake(account),
    });
    this.#gatewayOf(MAIN); // throws immediately if options are invalid
    this.ready = this.#begin();
    this.ready.catch((thrown: unknown) => this.#stop(String((thrown as Error).message)));
  }

  handle(request: Request, from: { readonly address: string | null }): Promise<Response> {
    return countWait(this.#clock, this.#handle(request, from), 'the response to a checkout page');
  }

  async #handle(request: Request, from: { readonly address: string | null }): Promise<Response> {
    const { address } = (from as { readonly address?: string | null } | undefined) ?? {};
    if (address === undefined)
      throw badInput(
        'address',
        `must be the IP address of the client, or null if your server cannot know it: without addresses, a single client can use up the capacity for all customers`,
      );
    const name = this.#accountIn(request);
    const account = await this.#open(name).catch(() => 'away' as const);
    if (account === 'away') return refusalResponse(refusalBy('SERVICE_UNAVAILABLE', TICK));
    if (!account) return refusalResponse(refusalBy('NOT_FOUND'));
    return account.gateway.handle(request, address === null ? null : findNetwork(address.trim()));
  }

  async handleWebhook(name: string, request: Request): Promise<Response> {
    try {
      const account = await this.#open(name);
      return account
        ? await account.rows.handleWebhook(request)
        : new Response(null, { status: 404 });
    } catch {
      // The delivery isn't stored, so the service must send it again.
      return new Response(null, { status: 503 });
    }
  }

  async createOrder(
    name: string,
    draft: InvoiceDraft,
    own?: Partial<CreatedOrder>,
  ): Promise<CreatedOrder> {
    return (await this.mustOpen(name)).gateway.createOrder(draft, own);
  }

  async mustOpen(name: string): Promise<OpenAccount> {
    const account = await this.#open(name);
    if (!account)
      throw badInput(
        'account',
        `must be the name of an account, but no account is named "${name}"`,
      );
    return account;
  }

  work(): Promise<void> {
    const work = this.#round().then((accounts) => Promise.all(accounts));
    return countWait(this.#clock, work, 'the background work of the relay').then(() => {});
  }

  health(): RelayHealth {
    const age = this.#answeredAt === undefined ? undefined : this.#now - this.#answeredAt;
    const stuck = this.#begun.reduce((sum, rows) => sum + (rows.inbox?.stuck ?? 0), 0);
    const isOver = this.#over.signal.aborted; // whether the relay was closed or has stopped
    const ok = !isOver && age !== undefined && age < AWAY_AFTER && !this.#writes.areRefused;
    return {
      ...{ ok, pages: this.#pages.count },
      ...(stuck > 0 && { stuck }),
      ...(age !== undefined && { databaseAge: Math.round(age) }),
      ...(this.#reason !== undefined && { reason: this.#reason }),
    };
  }

  close(): Promise<void> {
    return (this.#ended ??= countWait(this.#clock, this.#close(), 'closing the relay'));
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  async #begin(): Promise<void> {
    await this.#tables.ready();
    await this.#life.begin();
    this.#answeredAt = this.#now;
    const { signal } = this.#over;
    if (signal.aborted) return;
    this.#loops = [this.#life.run(signal), this.#run(signal)];
    await this.#open(MAIN).catch((thrown: unknown) => {
      if (isPaystateError(thrown) && thrown.kind === 'input') throw thrown;
    }); // later rounds open the account again
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const poll = this.#pages.poll(); // doesn't query the database if no pages are connected
      void this.#round();
      await poll.catch(() => {}); // pages show `stale` until the database responds again
      await this.#clock.wait(TICK, signal);
    }
  }

  /**
   * Starts the pending work of all accounts. Resolves to one promise per account, so accounts don't
   * wait for each other.
   */
  async #round(): Promise<readonly Promise<void>[]> {
    try {
      const names = await this.#store.dueAccounts(MOST_ACCOUNTS);
      this.#answeredAt = this.#now;
      void this.#writes.check(() => this.#tables.tryWrite());
      if (this.#now >= this.#cleanedAt + CLEAN_EVERY) {
        this.#cleanedAt = this.#now;
        void this.#clean();
      }
      return names.map((name) => this.#wake(name));
    } catch {
      return [];
    }
  }

  /** Deletes a batch of old rows. If there may be more, the next round deletes another batch. */
  async #clean(): Promise<void> {
    // After a failure, a later round tries again.
    const cleaned = await this.#store.clean(MEMORY, CLEANED).catch(() => 0);
    if (cleaned >= CLEANED) this.#cleanedAt = -Infinity;
  }

  async #wake(name: string): Promise<void> {
    if (this.#over.signal.aborted) return;
    const account = await this.#open(name).catch(() => undefined);
    await account?.rows.work();
  }

  /**
   * Returns the account name from a request's path `/pay/<name>/…`. For other paths under `/pay`,
   * it's `main`.
   */
  #accountIn(request: Request): string {
    const { path = '/pay' } = this.#options;
    const { pathname } = new URL(request.url);
    const [first = ''] = pathname.slice(path.length + 1).split('/');
    return ACCOUNT.test(first) ? first : MAIN;
  }

  /** Opens an account when it's first used. If that fails, tries again on the next use. */
  async #open(name: string): Promise<OpenAccount | undefined> {
    if (!ACCOUNT.test(name)) return undefined;
    const known = this.#accounts.get(name);
    if (known) return known;
    const given = this.#options.account(name);
    if (!given) return undefined;
    checkOptions(given, ACCOUNT_OPTIONS, 'account.');
    checkAccountHandlers(given.on);
    checkClient(given.client);
    const opening = this.#openNew(name, given);
    this.#accounts.set(name, opening);
    opening.catch(() => this.#accounts.delete(name));
    return opening;
  }

  async #openNew(name: string, given: HostedAccount): Promise<OpenAccount> {
    const { webhookUrl, egress = MAIN } = this.#options;
    const url = typeof webhookUrl === 'function' ? webhookUrl(name) : webhookUrl;
    const rows = new AccountRows({
      ...{ name, tables: this.#tables, store: this.#store, holder: this.#life, egress },
      options: { ...given, webhookUrl: url },
      newId: systemUuid,
      changed: (invoiceId) => this.#life.say(name, invoiceId),
    });
    const made = this.#gatewayOf(name, rows);
    await this.#tables.ready();
    await rows.start();
    this.#begun.push(rows);
    return { rows, ...made };
  }

  #gatewayOf(name: string, rows?: AccountRows): Pick<OpenAccount, 'gateway' | 'tokens'> {
    const { path = '/pay', tokenSecret, origin, tokenLifetime } = this.#options;
    const settings = { tokenSecret, origin, tokenLifetime, accountName: name };
    const clock = this.#clock;
    const tokens = new PageTokens(settings, clock);
    const own = name === MAIN ? path : `${path}/${name}`;
    const seals = new OrderSeals(tokenSecret, name, clock);
    const backend = {
      createOrder: (order: Parameters<AccountRows['createOrder']>[0]) => rows!.createOrder(order),
      openOrder: (order: Parameters<AccountRows['openOrder']>[0]) => rows!.openOrder(order),
      read: (asked: Parameters<AccountRows['read']>[0]) => rows!.read(asked),
      quote: (asked: Parameters<AccountRows['quote']>[0]) => rows!.quote(asked),
      openSocket: async (claims: Parameters<Pages['join']>[1]) =>
        this.#openSocket(name, claims, tokens),
    };
    return { gateway: new Gateway({ ...settings, path: own, clock, seals, backend }), tokens };
  }

  #openSocket(account: string, claims: Parameters<Pages['join']>[1], tokens: PageTokens): Response {
    if (this.#pages.isFull(account, claims.sub))
      return refusalResponse(refusalBy('RATE_LIMIT_EXCEEDED', CLEAN_EVERY));
    return upgradeTo(
      (server) =>
        void new PageSocket(server, (socket) => this.#pages.join(account, claims, tokens, socket)),
    );
  }

  #stop(reason: string): void {
    this.#reason ??= reason;
    this.#over.abort();
    this.#pages.close();
  }

  async #close(): Promise<void> {
    this.#over.abort();
    this.#pages.close();
    const open = await Promise.allSettled(this.#accounts.values());
    const work = open.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value.rows.settle()] : [],
    );
    await within(this.#clock, END_WITHIN, Promise.allSettled([...work, ...this.#loops]));
    await this.#life.end().catch(() => {}); // other processes detect the missing heartbeats
  }
}
