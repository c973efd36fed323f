import { hexOf, hmacOf, isHmacOf, systemBytes } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';

/** Makes an order's secret, 128 random bits as text: given to the page once, with its order. */
export function generateOrderSecret(): string {
  return hexOf(systemBytes(16));
}

/** What is kept of an order secret. */
export async function secretHash(secret: string, clock: Clock): Promise<string> {
  const digest = await clock.external(
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)),
  );
  return hexOf(new Uint8Array(digest));
}

/** What is sealed: an order of an account, its secret, and until when it opens anything. */
interface SealedOrder {
  readonly orderId: string;
  readonly orderSecret: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Bytes of a seal: 128 bits cannot be guessed. */
const LENGTH = 16;

/**
 * Seals the secrets of orders over account, order and end, so that a wrong one is refused without a
 * question to the database. The first secret seals, each opens.
 */
export class OrderSeals {
  readonly #keys: readonly Uint8Array[];
  readonly #account: string;
  readonly #clock: Clock;

  constructor(tokenSecret: string | readonly string[], account: string, clock: Clock) {
    this.#keys = [tokenSecret].flat().map((secret) => new TextEncoder().encode(secret));
    this.#account = account;
    this.#clock = clock;
  }

  /** The secret with its seal, as the page is given it. */
  async seal(order: SealedOrder): Promise<string> {
    const tag = await this.#clock.external(hmacOf(this.#keys[0]!, this.#textOf(order)));
    const seal = hexOf(tag.slice(0, LENGTH));
    return `${order.orderSecret}.${Math.ceil(order.until / 1_000).toString(36)}.${seal}`;
  }

  /** The secret of a sealed one; `undefined` where the seal is wrong, or its time is over. */
  async open(orderId: string, sealed: string): Promise<string | undefined> {
    const [, orderSecret = '', end = '', seal = ''] =
      /^(.{32,})\.([0-9a-z]{1,9})\.([0-9a-f]{32})$/.exec(sealed) ?? [];
    const until = Number.parseInt(end, 36) * 1_000;
    if (!(until > this.#clock.now())) return undefined;
    const text = this.#textOf({ orderId, orderSecret, until });
    for (const key of this.#keys) {
      const tag = await this.#clock.external(hmacOf(key, text));
      if (await this.#isSame(tag.slice(0, LENGTH), seal)) return orderSecret;
    }
    return undefined;
  }

  /** Compared by tags of both, so that the time says nothing. */
  async #isSame(tag: Uint8Array, seal: string): Promise<boolean> {
    const key = this.#keys[0]!;
    const [one, other] = [hexOf(tag), seal].map((text) => new TextEncoder().encode(text));
    return this.#clock.external(hmacOf(key, one!).then((of) => isHmacOf(key, other!, of)));
  }

  /** Each part is a line of JSON: none can run into the next. */
  #textOf({ orderId, orderSecret, until }: SealedOrder): Uint8Array {
    const end = Math.ceil(until / 1_000);
    return new TextEncoder().encode(
      JSON.stringify(['order', this.#account, orderId, orderSecret, end]),
    );
  }
}
