import { checkArgument, checkMethods, checkOptions, type Expected } from '../core/errors/index.ts';
import { checkClient, internals } from '../core/http/index.ts';
import { type ObjectState, systemUuid } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { answerFrom, RATE_LIMITS_PATH } from '../stores/rate-limits.ts';
import type { Inbox } from '../webhooks/index.ts';
import { type AccountInboxOptions, checkAccountHandlers, makeReporter } from './account-inbox.ts';
import { AccountRows } from './account-rows.ts';
import { type AccountContract, roomCaller, route, type Routes, WEBHOOK_PATH } from './calls.ts';
import { ObjectAlarm } from './object-alarm.ts';
import { Outbox, shownInvoice } from './outbox.ts';
import { FOLLOWED_FOR } from './page-lines.ts';
import type { ObjectNamespace } from './platform.ts';
import { RelayTables } from './relay-tables.ts';
import { SqlRelayStore } from './sql-relay-store.ts';

/**
 * The age at which database rows are deleted, in milliseconds. They're deleted in small batches.
 */
const MEMORY = 2_592_000_000;
const CLEAN_EVERY = 300_000;
const CLEANED = 500;
const MOST_ROUNDS = 20;

/** Options for an account object. */
export interface AccountObjectOptions extends AccountInboxOptions {
  /**
   * The namespace of the invoice rooms. Changes to an invoice are sent to its room until the room
   * confirms them.
   */
  readonly rooms: ObjectNamespace;
  /**
   * A part of the rooms' names that lets several accounts share a namespace. Use the same value for
   * the relay, the rooms and the account object. Defaults to `main`.
   */
  readonly accountName?: string | undefined;
}

const ACCOUNT_OPTIONS: Expected<AccountObjectOptions> = {
  client: 'any',
  rooms: 'object!',
  accountName: 'string',
  secrets: 'string|array',
  webhookUrl: 'string',
  on: 'object',
  otherwise: 'function',
  onProblem: 'function',
  leaseDuration: 'number',
  handlerTimeout: 'number',
};

/**
 * The only object with the account's API key. It sends all requests to the service, stores the
 * results, and sends them to the invoice rooms until they're confirmed. Webhooks are stored before
 * they're acknowledged, and an alarm ensures that no work is lost after a crash.
 *
 * Anyone can pay into an account and claim to pay an order, so only ship in `orderPaid`. It only
 * runs for the invoice that was created for the order, if the amount and currency match the order.
 *
 * @example
 * export class Account extends AccountObject {
 *   constructor(ctx: DurableObjectState, env: Env) {
 *     const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
 *     super(ctx, {
 *       client, rooms: env.ROOMS, secrets: env.WEBHOOK_SECRET,
 *       on: { orderPaid: ({ orderId }, { key }) => ship(orderId, key) },
 *       onProblem: (problem) => console.log(problem.kind),
 *     });
 *   }
 * }
 */
export class AccountObject {
  readonly #rows: AccountRows;
  readonly #store: SqlRelayStore;
  readonly #outbox: Outbox;
  readonly #alarm: ObjectAlarm;
  readonly #clock: Clock;
  readonly #routes: Routes<AccountContract> = {
    follow: async ({ invoiceId }) => {
      const row = await this.#rows.follow(invoiceId, FOLLOWED_FOR);
      return { shown: row && shownInvoice(row, this.#clock.now()) };
    },
    read: (asked) => this.#rows.read(asked),
    quote: (asked) => this.#rows.quote(asked),
    'create-order': (order) => this.#rows.createOrder(order),
    'open-order': (order) => this.#rows.openOrder(order),
  };
  #cleanedAt: number = -Infinity;

  constructor(ctx: ObjectState, options: AccountObjectOptions) {
    checkArgument('ctx', ctx, 'object!');
    checkArgument('ctx.storage', ctx.storage, 'object!');
    checkOptions(options ?? null, ACCOUNT_OPTIONS);
    checkMethods('rooms', options.rooms, 'idFromName', 'get');
    checkAccountHandlers(options.on);
    checkClient(options.client);
    const { client, rooms, accountName: name = 'main' } = options;
    const { clock } = client[internals];
    const report = makeReporter(options);
    this.#clock = clock;
    this.#alarm = new ObjectAlarm(ctx.storage, clock, {
      nextDue: () => this.#nextDue(),
      round: () => this.#round(),
      isBusy: () => this.#rows.isBusy,
    });
    const tables = new RelayTables({ driver: this.#alarm.driver() }, () => clock.now());
    this.#store = new SqlRelayStore(tables, systemUuid);
    this.#outbox = new Outbox(
      this.#store,
      name,
      clock,
      (id) => roomCaller(rooms, name, id),
      (error) => report({ kind: 'store-failed', error }),
    );
    this.#rows = new AccountRows({
      ...{ name, options, tables, store: this.#store, egress: 'main', newId: systemUuid },
      holder: { id: systemUuid(), isAlive: true, isAlone: true },
      changed: (invoiceId) => this.#outbox.changed(invoiceId),
    });
  }

  /**
   * The account's inbox. Use its `status()`, `deadLetters()`, `redeliver(key)` and `stuck` in your
   * subclass's methods. `undefined` if there are neither handlers nor secrets.
   */
  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver' | 'stuck'> | undefined {
    return this.#rows.inbox;
  }

  /**
   * Responds to requests from the gateway, rooms and rate limit stores, and accepts webhook
   * deliveries.
   */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    // an unsigned delivery must not cause a write, an alarm or a request
    if (pathname === WEBHOOK_PATH) return this.#rows.handleWebhook(request);
    await this.#alarm.keep();
    if (pathname === RATE_LIMITS_PATH) return answerFrom(this.#rows.counter, request);
    return route<AccountContract>(this.#routes, request, () => this.#clock.now());
  }

  /** Does any work that is due and sets the next alarm. The platform calls this method. */
  async alarm(): Promise<void> {
    await this.#alarm.ring();
    await this.#clean();
  }

  async #nextDue(): Promise<number> {
    await this.#outbox.begin();
    return Math.min(await this.#rows.nextDue(), this.#outbox.nextDue);
  }

  async #round(): Promise<void> {
    await Promise.all([this.#rows.work(), this.#outbox.round()]);
  }

  async #clean(): Promise<void> {
    if (this.#clock.now() < this.#cleanedAt + CLEAN_EVERY) return;
    this.#cleanedAt = this.#clock.now();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      // if this fails, the next alarm cleans up
      const cleaned = await this.#store.clean(MEMORY, CLEANED).catch(() => 0);
      if (cleaned < CLEANED) return;
    }
  }
}
