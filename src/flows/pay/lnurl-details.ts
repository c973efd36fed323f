import { type CallOptions, type Connection, internals, stateOf } from '../../core/http/index.ts';
import type { LnurlDetails } from '../../resources/payment-quotes/model.ts';
import { getLnurl } from '../../resources/payment-quotes/operations.ts';

/** What an address takes counts for so long, milliseconds. The service compares each quote anyway. */
const FRESH = 60_000;
/** More addresses are not kept. */
const MOST = 1_000;

interface Known {
  readonly details: Promise<LnurlDetails>;
  /** Monotonic. */
  readonly askedAt: number;
}

/** What this client has asked of an address within the last minute. */
export function knownDetails(
  client: Connection,
  address: string,
): Promise<LnurlDetails> | undefined {
  const found = knownTo(client).get(address);
  const now = client[internals].clock.monotonic();
  return found && now - found.askedAt < FRESH ? found.details : undefined;
}

function knownTo(client: Connection): Map<string, Known> {
  return stateOf(client, 'flows.lnurl', () => new Map());
}

/** What a Lightning address or LNURL takes; asked once a minute, however many are paid to it. */
export function detailsOf(
  client: Connection,
  address: string,
  options: CallOptions,
): Promise<LnurlDetails> {
  const found = knownDetails(client, address);
  if (found) return found;
  const known = knownTo(client);
  if (known.size >= MOST) known.clear();
  const details = getLnurl(client, address, options);
  known.set(address, { details, askedAt: client[internals].clock.monotonic() });
  details.catch(() => known.delete(address));
  return details;
}
