import type { Clock } from '../core/time.ts';
import type { LoginSettings } from './options.ts';
import type { Tokens } from './server.ts';

/** A login in the store. It contains no times, because clocks may differ between processes. */
export interface StoredLogin {
  readonly access: string;
  readonly refresh?: string | undefined;
  /**
   * The access token's lifetime, in milliseconds from its request. Absent if the server doesn't
   * specify one.
   */
  readonly life?: number | undefined;
  readonly scopes: readonly string[];
  /**
   * The `state` parameter of the login that the tokens come from. Tokens from a different login
   * never replace it.
   */
  readonly login?: string | undefined;
  /**
   * Set while a process may be sending the refresh token. Other processes don't change the stored
   * login for this many milliseconds after they first see this version.
   */
  readonly lease?: number | undefined;
  /** Set if a token refresh had no response, so new tokens may have been lost. */
  readonly unsure?: boolean | undefined;
}

/**
 * A session's stored login, which is `null` after a logout, with the version required for changing
 * it.
 */
interface LoginRow {
  readonly stored: StoredLogin | null;
  readonly version: number;
}

/**
 * Upper limit on how long before their expiry tokens are renewed. By default, they're renewed when
 * a tenth of their lifetime is left.
 */
const MAX_RENEWAL_MARGIN_MS = 10_000;

/** Reads and writes a session's stored login, and tracks the age of its tokens. */
export interface LoginRepository extends Pick<Ages, 'moment' | 'passed'> {
  read(): Promise<LoginRow>;
  /**
   * Writes the login if the stored version is still the given one. Resolves to whether it was
   * written.
   */
  swap(version: number, stored: StoredLogin | null): Promise<boolean>;
  put(stored: StoredLogin | null): Promise<number>;
  /**
   * Converts new tokens to a login that can be stored. Fields that the server omitted are kept from
   * the previous login. The tokens' age is measured from the request.
   */
  toStored(
    tokens: Tokens,
    before: Pick<StoredLogin, 'refresh' | 'scopes' | 'login'>,
    asked: Moment,
  ): StoredLogin;
  /**
   * Checks whether the access token is still valid. Only the process that requested the token knows
   * its exact age. Other processes may underestimate the age, in which case they renew the token
   * after the service has refused it. A valid token is never treated as expired.
   */
  isAlive(stored: StoredLogin): boolean;
  /** Returns the latest time when the access token may expire, by the local clock. */
  endOf(stored: StoredLogin): number | undefined;
}

type Place = Pick<LoginSettings, 'store' | 'sessionId' | 'clock'>;

export function loginRepository({ store, sessionId, clock }: Place): LoginRepository {
  const key = `oauth/${sessionId}/tokens`;
  const ages = makeAges(clock);
  const since = (stored: StoredLogin): Moment => ages.since(nameLogin(stored));
  return {
    ...ages,
    async read() {
      const row = await store.get(key);
      const stored = (row?.value ?? null) as StoredLogin | null;
      if (stored) since(stored);
      return { stored, version: row?.version ?? 0 };
    },
    swap: (version, stored) => store.compareAndSet(key, version, stored),
    put: (stored) => store.put(key, stored),
    toStored({ access, refresh, life, scopes }, before, asked) {
      const stored = {
        access,
        life,
        refresh: refresh ?? before.refresh,
        scopes: scopes ?? before.scopes,
        login: before.login,
      };
      ages.note(nameLogin(stored), asked);
      return stored;
    },
    isAlive(stored) {
      const { life = Infinity } = stored;
      return (
        ages.passed(since(stored)) < life - Math.min(MAX_RENEWAL_MARGIN_MS, Math.floor(life / 10))
      );
    },
    endOf: (stored) => (stored.life === undefined ? undefined : since(stored)[0] + stored.life),
  };
}

/**
 * Returns a key for a token and its lifetime. The lifetime is included because a server may return
 * the same token again with its remaining lifetime.
 */
function nameLogin({ access, life }: StoredLogin): string {
  return `${life} ${access}`;
}

/**
 * The data for finishing a login. The verifier is generated locally, sent only to finish the login,
 * and used once.
 */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
}

/** Maximum number of pending logins per session. When it's exceeded, the oldest one is removed. */
const MAX_PENDING = 5;
/** How long a login may stay pending, by the local clock. */
const PENDING_FOR_MS = 10 * 60_000;

/** Returns functions for a session's pending logins, which are stored under one key. */
export function openPendingLogins({ store, sessionId, clock }: Place) {
  const key = `oauth/${sessionId}/begun`;
  const ages = makeAges(clock);

  async function change(
    how: (all: readonly PendingLogin[]) => readonly PendingLogin[],
  ): Promise<void> {
    for (;;) {
      const row = await store.get(key);
      const found = (row?.value ?? []) as readonly PendingLogin[];
      const all = found.filter(({ state }) => ages.passed(ages.since(state)) < PENDING_FOR_MS);
      if (await store.compareAndSet(key, row?.version ?? 0, how(all))) return;
    }
  }

  return {
    async keep(begun: PendingLogin): Promise<void> {
      ages.since(begun.state);
      await change((all) => [...all, begun].slice(-MAX_PENDING));
    },
    /**
     * Removes and returns the pending login with the given `state`. A second call resolves to
     * `undefined`.
     */
    async take(state: string | null): Promise<PendingLogin | undefined> {
      let found: PendingLogin | undefined;
      await change((all) => {
        found = all.find((begun) => begun.state === state);
        return all.filter((begun) => begun !== found);
      });
      return found;
    },
  };
}

/** A time on both of this process's clocks. */
type Moment = readonly [wall: number, monotonic: number];

/**
 * Maximum number of names to remember. It's higher than the number of names that are in use at the
 * same time.
 */
const MAX_REMEMBERED = 8;

interface Ages {
  moment(): Moment;
  /** Records the time when a name was first seen. */
  note(name: string, at: Moment): Moment;
  /** Returns the time when a name was first seen. For a new name, that's the current time. */
  since(name: string): Moment;
  /** Returns the milliseconds since a given time. */
  passed(from: Moment): number;
}

/**
 * Tracks ages with the local clocks, starting when this process first sees a name. Times from other
 * processes aren't used, because their clocks may be wrong. Therefore, the real age may be higher,
 * but never lower.
 */
function makeAges(clock: Clock): Ages {
  const seen = new Map<string, Moment>();
  const moment = (): Moment => [clock.now(), clock.monotonic()];

  function note(name: string, at: Moment): Moment {
    if (seen.size === MAX_REMEMBERED) seen.clear();
    seen.set(name, at);
    return at;
  }

  return {
    moment,
    note,
    since: (name: string): Moment => seen.get(name) ?? note(name, moment()),
    /**
     * Uses the larger of the two differences, because the wall clock can be set back and the
     * monotonic clock may stop during sleep.
     */
    passed: ([wall, monotonic]: Moment): number =>
      Math.max(clock.now() - wall, clock.monotonic() - monotonic),
  };
}
