import {
  type CallOptions,
  type Connection,
  internals,
  singleFlight,
  stateOf,
} from '../../core/http/index.ts';
import type { LnurlDetails } from '../../resources/payment-quotes/model.ts';
import { getLnurl } from '../../resources/payment-quotes/operations.ts';

/** What an address takes counts for so long, milliseconds. The service compares each quote anyway. */
const FRESH = 60_000;

interface KnownDetails {
  readonly details: LnurlDetails;
  /** Monotonic. */
  readonly readAt: number;
}

/** By address, in the order in which they were read. */
type Known = Map<string, KnownDetails>;

function knownTo(client: Connection): Known {
  const known = stateOf(client, 'flows.lnurl', (): Known => new Map());
  const now = client[internals].clock.monotonic();
  for (const [address, { readAt }] of known) {
    if (now - readAt < FRESH) break;
    known.delete(address);
  }
  return known;
}

/** What this client has read of an address within the last minute. */
export function knownDetails(client: Connection, address: string): LnurlDetails | undefined {
  return knownTo(client).get(address)?.details;
}

/** What a Lightning address or LNURL takes; read once a minute, however many are paid to it. */
export async function detailsOf(
  client: Connection,
  address: string,
  options: CallOptions,
): Promise<LnurlDetails> {
  const found = knownDetails(client, address);
  if (found) return found;
  const { value: details } = await singleFlight(
    client,
    `lnurl ${address}`,
    options.signal,
    (signal) => getLnurl(client, address, { ...options, signal }).withResponse(),
  );
  const known = knownTo(client);
  known.delete(address);
  known.set(address, { details, readAt: client[internals].clock.monotonic() });
  return details;
}
