import { type Connection, shared } from './connection.ts';
import { badInput, InputError } from './errors.ts';
import type { AnyRow } from './row.ts';

/** Keys that are remembered, the oldest forgotten first. */
const MOST = 1_000;
/** How long a key of a command that moves money at once is trusted: nobody knows how long the service keeps it. */
const TRUSTED = 600_000;

/** What a key was first sent with: numbers only, for bodies hold what is nobody's business. */
interface Use {
  readonly print: number;
  readonly at: number;
}

/**
 * Keeps a key and its body together: another body under the same key is refused. Returns until when it may be sent,
 * monotonic milliseconds.
 */
export function useKey(connection: Connection, row: AnyRow, key: string | undefined, body = ''): number {
  if (key === undefined) return Infinity;
  const uses = shared(connection, 'core.keys', () => new Map<string, Use>());
  const now = connection.clock.monotonic();
  const print = printOf(row.path + body);
  const { at, print: before } = uses.get(key) ?? { at: now, print };
  if (print !== before) throw badInput('idempotencyKey', 'had another body; take a new key');
  uses.set(key, { print, at });
  if (uses.size > MOST) uses.delete(uses.keys().next().value!);
  if (row.repeat !== 'key-read-money') return Infinity;
  if (now < at + TRUSTED) return at + TRUSTED;
  throw new InputError('idempotencyKey: over 10 minutes old; look for what it made', {
    code: 'KEY_TOO_OLD', outcome: 'unknown', next: 'read-first', maybeCreated: true,
  });
}

/** 32 bits that tell texts apart. */
function printOf(text: string): number {
  let print = text.length;
  for (let at = 0; at < text.length; at++) print = Math.imul(print ^ text.charCodeAt(at), 16_777_619);
  return print;
}
