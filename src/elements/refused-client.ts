import type { PaystateError } from '../core/errors/index.ts';
import { checkClient, type Connection } from '../core/http/index.ts';

/** Why what a page has set as `client` is none; `undefined` where it is one, or nothing was set. */
export function refusedClient(client: Connection | undefined): PaystateError | undefined {
  try {
    if (client) checkClient(client);
    return undefined;
  } catch (thrown) {
    return thrown as PaystateError;
  }
}
