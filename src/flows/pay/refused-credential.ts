import { type Connection, internals, isLoginOver } from '../../core/http/index.ts';
import type { PaystateError } from '../../core/errors/index.ts';

/** Services that are away refuse good credentials for less, milliseconds. */
const REFUSED_FOR = 60_000;

/** Whether the credential cannot read how a payment ends, and will not by itself. */
export class RefusedCredential {
  readonly #client: Connection;
  /** Monotonic. */
  #since: number | undefined;

  constructor(client: Connection) {
    this.#client = client;
  }

  /** A scope is missing, or the credential has been refused for long. */
  isLasting(error: PaystateError): boolean {
    if (error.neededScope || !isLoginOver(error)) return error.neededScope !== undefined;
    const now = this.#client[internals].clock.monotonic();
    this.#since ??= now;
    return now - this.#since >= REFUSED_FOR;
  }

  /** Something could be read. */
  forget(): void {
    this.#since = undefined;
  }
}
