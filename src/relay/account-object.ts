import { internals } from '../core/http/index.ts';
import type { ObjectState } from '../core/platform.ts';
import { answerFrom, RATE_LIMITS_PATH } from '../stores/rate-limits.ts';
import type { Inbox } from '../webhooks/index.ts';
import { type AccountObjectOptions, type AccountParts, accountParts } from './account-parts.ts';
import { route } from './calls.ts';
import { type AccountContract, WEBHOOK_PATH } from './contracts.ts';
import { keepSubscription } from './webhook-subscription.ts';

/**
 * An account's one object with a key: makes every call to the service, keeps what was read, and
 * sends it to the rooms until they confirm. Webhooks are stored before they are answered; one alarm
 * carries everything that must not be lost.
 *
 * Any payer can pay into an account and name any order: ship on `orderPaid` alone, which is called
 * for the invoice that was made for the order, with its amount and currency, and for nothing else.
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
  readonly #options: AccountObjectOptions;
  readonly #parts: AccountParts;
  #isAwake: boolean = false;

  constructor(ctx: ObjectState, options: AccountObjectOptions) {
    this.#options = options;
    this.#parts = accountParts(ctx, options);
  }

  /**
   * The account's inbox, for methods of your own class: `status()`, `deadLetters()` and
   * `redeliver(key)`. Absent where there are neither handlers nor secrets.
   */
  get inbox(): Pick<Inbox, 'status' | 'deadLetters' | 'redeliver'> | undefined {
    return this.#parts.inbox;
  }

  /** What gateway and rooms ask, stores of rate limits, and deliveries of webhooks as they came. */
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const { counter, work, routes } = this.#parts;
    if (pathname === RATE_LIMITS_PATH) return answerFrom(counter, request);
    if (pathname === WEBHOOK_PATH) return this.#receive(request);
    await work.arm();
    this.#wake();
    const { clock } = this.#options.client[internals];
    return route<AccountContract>(routes, request, () => clock.now());
  }

  /** A delivery that is not signed stores nothing, sets no alarm and asks the service nothing. */
  async #receive(request: Request): Promise<Response> {
    const receives = this.#options.secrets !== undefined; // else nothing can be verified
    const response = receives ? await this.#parts.inbox?.handle(request) : undefined;
    if (response?.ok) this.#wake();
    return response ?? new Response(null, { status: 503 });
  }

  /** The next alarm is set before anything else, so that no failure can be the last. */
  async alarm(): Promise<void> {
    await this.#parts.work.run(() => this.#wake());
  }

  /** After an eviction: goes on with what was followed, and with what rooms have not confirmed. */
  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    const { followed, work, store } = this.#parts;
    followed.resume();
    void work.push();
    void work.process();
    keepSubscription(this.#options, store).catch(() => {}); // the next start tries again
  }
}
