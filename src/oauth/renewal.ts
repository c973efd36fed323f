import type { Clock } from '../core/time.ts';
import { isPaystateError, type PaystateError } from '../core/errors/index.ts';
import type { LoginRepository, StoredLogin } from './stored-login.ts';
import { leaseOf } from './lock.ts';
import type { LoginSettings } from './options.ts';
import { loginRequired, refreshUnknown } from './errors.ts';
import type { LoginServer, Tokens } from './server.ts';

/** How often to look what has become of another process's lease; milliseconds. */
const GLANCE = 250;
/**
 * How long a store may be away before tokens that could not be written are given up; milliseconds.
 */
const PATIENCE = 10 * 60_000;

/** The lease of another process, as this one came to see it. */
interface Seen {
  readonly version: number;
  /** By this process's monotonic clock. */
  readonly since: number;
}

/**
 * Gets a usable login, renewing it where it has to be. A refresh token works once, and one that
 * comes twice ends the login. Any number of processes share the row, whose version is all that they
 * know of each other:
 *
 * 1. Who sends takes the lease first, by compare-and-set, and sends right after it. Who comes back
 *    from it too late, such as after a sleep, gives it back and sends nothing.
 *    Where no response came, it sends the same token once more, within the same lease.
 * 2. The others wait. Only who has itself seen the very same version for as long as the lease
 *    lasts, by its own monotonic clock, ends it, by compare-and-set. The token may have been sent:
 *    so it is not sent again now, but noted as unsure.
 * 3. Who waited shares what came of it: the new token, or `REFRESH_UNKNOWN`. After that the next
 *    call decides, by sending the token again: the login is lost only if it was processed before
 *    and the answer is lost.
 * 4. New tokens are written while the row holds the grant that they were asked for, however late
 *    they come; nothing newer is ever replaced.
 */
export function renewalOf(
  settings: LoginSettings,
  server: LoginServer,
  book: LoginRepository,
): (refused: string | undefined) => Promise<StoredLogin> {
  const { clock, lock, sessionId } = settings;
  let seen: Seen | undefined; // stays from call to call: a call may end before the lease does

  async function settle(refused: string | undefined): Promise<StoredLogin> {
    let hasWaited = false;
    for (;;) {
      const asked = clock.monotonic();
      const { stored, version } = await book.read();
      if (!stored) throw loginRequired();
      if (stored.access !== refused && book.isAlive(stored)) return stored;
      if (stored.refresh === undefined) await book.swap(version, null);
      else if (stored.lease !== undefined) {
        hasWaited = true;
        if (seen?.version !== version) seen = { version, since: clock.monotonic() };
        if (asked - seen.since < stored.lease) await clock.wait(GLANCE);
        else await book.swap(version, { ...stored, lease: undefined, unsure: true });
      } else if (hasWaited && stored.unsure) throw refreshUnknown();
      else {
        const renewed = await renew(settings, server, book, stored, stored.refresh, version);
        if (renewed) return renewed; // as it is: one without a lifetime would be renewed for ever
      }
    }
  }

  return (refused) => lock(`paystate-oauth/${sessionId}`, () => settle(refused));
}

/** Takes the lease and sends; `undefined` where the row has to be read again. */
async function renew(
  { clock, attemptTimeout }: LoginSettings,
  server: LoginServer,
  book: LoginRepository,
  stored: StoredLogin,
  token: string,
  version: number,
): Promise<StoredLogin | undefined> {
  await find(server);
  const begun = book.moment();
  if (!(await book.swap(version, { ...stored, lease: leaseOf(attemptTimeout) }))) return undefined;
  // The same token at once: a login server that forgives a repetition does so for seconds. Both
  // requests end before the lease does, which is twice the time limit of one.
  const askAgain = async () => {
    const first = await ask(server, token);
    const isLost =
      'code' in first && first.code === 'REFRESH_UNKNOWN' && first.outcome === 'unknown';
    return isLost && book.passed(begun) < attemptTimeout ? ask(server, token) : first;
  };
  if (book.passed(begun) < attemptTimeout)
    return refresh(clock, server, book, stored, askAgain, version + 1);
  await book.swap(version + 1, stored);
  return undefined;
}

/** Sends one refresh: the new tokens, or why there are none. */
function ask(server: LoginServer, token: string): Promise<Tokens | PaystateError> {
  return server
    .refresh(token)
    .catch((thrown: unknown) => (isPaystateError(thrown) ? thrown : refreshUnknown()));
}

/**
 * Sends one refresh; stores and returns the new tokens, unless the login was replaced meanwhile.
 */
async function refresh(
  clock: Clock,
  server: LoginServer,
  book: LoginRepository,
  stored: StoredLogin,
  send: () => ReturnType<typeof ask>,
  version: number,
): Promise<StoredLogin | undefined> {
  const asked = book.moment();
  const tokens = await send();
  if ('code' in tokens) {
    const isOver = tokens.code === 'LOGIN_REQUIRED';
    const unsure = tokens.code === 'REFRESH_UNKNOWN' || stored.unsure;
    const written = book.swap(version, isOver ? null : { ...stored, unsure });
    await written.catch(() => false); // then the lease ends by itself
    if (!isOver) throw tokens;
    return undefined;
  }
  const renewed = book.toStored(tokens, stored, asked);
  const found = await store(clock, book, stored, renewed);
  if (found === renewed) return renewed;
  // Logged out, or logged in anew: the token is of no use any more.
  const orphan = !found || found.login !== stored.login ? tokens.refresh : undefined;
  if (orphan !== undefined) await server.revoke(orphan).catch(() => {});
  return undefined;
}

/**
 * Writes new tokens in the place of those that they were asked for, and goes on trying; resolves
 * to what stands there.
 */
async function store(
  clock: Clock,
  book: LoginRepository,
  before: StoredLogin,
  renewed: StoredLogin,
): Promise<StoredLogin | null> {
  const begun = clock.monotonic();
  for (;;) {
    try {
      const { stored, version } = await book.read();
      // The row was written by another process, or by a write that seemed to fail.
      if (stored?.access !== before.access || stored.refresh !== before.refresh) return stored;
      if (await book.swap(version, renewed)) return renewed;
    } catch {
      if (clock.monotonic() - begun > PATIENCE) throw refreshUnknown();
      await clock.wait(GLANCE);
    }
  }
}

/** Not knowing where the server is, nothing was sent: the login stands. */
async function find(server: LoginServer): Promise<void> {
  await server.find().catch(() => {
    throw refreshUnknown();
  });
}
