import {
  badInput,
  checkMethods,
  checkOptions,
  type PaystateError,
} from '../../core/errors/index.ts';
import { type Connection, internals } from '../../core/http/index.ts';
import { sha256Hex } from '../../lightning/hashes.ts';
import type { Store } from '../../stores/store.ts';

/** The key of the journal row that stores the account's name. */
export const PIN_ROW = 'pay-account';

/** The account a journal belongs to. */
export interface JournalPin {
  readonly format: 1;
  /**
   * The account's name when the journal was first used. All idempotency keys are derived from it,
   * even after the account is renamed.
   */
  readonly pin: string;
  /** The account's current name. Empty if the client has no account name. */
  readonly account: string;
  /** When the journal was bound to its account, in milliseconds since 1970. */
  readonly pinnedAt: number;
  /** Set if the journal was restored from a backup. Anything after this time may be missing. */
  readonly restoredFrom?: number | undefined;
  /**
   * Whether the service has been observed to return PROCESSED for an executed quote that had
   * already expired.
   */
  readonly seesProcessedFirst?: boolean | undefined;
}

/**
 * Returns the account's name, or an empty string for a client with only a token. Throws InputError
 * if the name is invalid.
 */
export function pinAccount(client: Connection): string {
  const digest = (text: string) => sha256Hex(new TextEncoder().encode(text));
  const { account } = client[internals];
  return account ? checkAccount(account(digest)) : '';
}

function checkAccount(account: unknown): string {
  if (typeof account === 'string' && account !== '' && account.length <= 200) return account;
  throw badInput('account', 'must be a name with 1 to 200 characters');
}

/**
 * Reads the account stored in a journal. Returns `undefined` if nothing is stored. Throws if the
 * format is unknown.
 */
export function readPin(value: unknown): JournalPin | undefined {
  if (value === undefined) return undefined;
  const { format, pin, account, pinnedAt } = (value ?? {}) as Partial<JournalPin>;
  const isPin = typeof pin === 'string' && typeof account === 'string';
  if (format === 1 && isPin && typeof pinnedAt === 'number') return value as JournalPin;
  throw badInput(
    'journal',
    'the account in this journal was saved by another version of this package',
  );
}

export function foreignJournal(): PaystateError {
  return badInput(
    'account',
    'does not match this journal, which belongs to another account or API key. No money was moved. Use the journal of this account, or call adoptJournal if the key was rotated',
  );
}

/**
 * Lets an account continue its journal under another name, for example after you rotate its API key
 * or name the account. Idempotency keys are still derived from the first name, so nothing is paid
 * twice. Call it once, while no process is using the journal. From then on, clients with the
 * earlier name are rejected.
 *
 * @param journal the store you pass to `pay`, `exchange`, `payOut` and `deposit`
 * @param options `account`: the name you pass to `createClient` from now on
 * @throws InputError if the name is empty or longer than 200 characters, or if the journal has no
 * payment yet, because it will take the name of its first client
 *
 * @example
 * const journal = memoryStore();
 * await createGuards({ journal, maxPerDay: 'any' });
 * const client = createClient({ ...sandbox.clientOptions, account: 'old-name' });
 * await resume(client, { journal }); // a journal is pinned to the first account that uses it
 * await adoptJournal(journal, { account: 'shop' });
 */
export async function adoptJournal(
  journal: Store,
  options: { readonly account: string },
): Promise<void> {
  checkOptions<{ readonly account: string }>(options ?? null, { account: 'string!' });
  const { account } = options;
  checkAccount(account);
  checkMethods('journal', journal, 'get', 'compareAndSet');
  for (let count = 0; count < MAX_WRITES; count++) {
    const stored = await journal.get(PIN_ROW);
    const known = readPin(stored?.value);
    if (!known) throw badInput('journal', 'the journal is new, so it has no account to replace');
    const next: JournalPin = { ...known, account };
    if (await journal.compareAndSet(PIN_ROW, stored!.version, next)) return;
  }
  throw badInput('journal', 'the store is being written by other processes; stop them first');
}

const MAX_WRITES = 20;

/** The type of transfer. Transfers of different types never share an idempotency key. */
export type KeyKind = 'pay' | 'refund' | 'exchange' | 'deposit' | 'payout';

/**
 * Derives the idempotency key for attempt `n`. A restarted process derives the same key. It's a
 * hash over length-prefixed parts, formatted as a version 4 UUID. `name` is the intent, or the id
 * of the receipt being refunded.
 */
export function makeKey(kind: KeyKind, pin: string, name: string, n: number): string {
  const parts = [kind, pin, name, `${n}`];
  const text = parts.map((part) => `${part.length}:${part}`).join('');
  const hex = sha256Hex(new TextEncoder().encode(text));
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4];
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
