import type { Clock } from '../core/time.ts';
import type { LoginSettings } from './options.ts';
import type { Tokens } from './server.ts';

/** A stored login. Contains no times, because clocks of different processes are never compared. */
export interface StoredLogin {
  readonly access: string;
  readonly refresh?: string | undefined;
  /**
   * Lifetime of the access token, in milliseconds from its request. Absent if the server sent none.
   */
  readonly life?: number | undefined;
  readonly scopes: readonly string[];
  /** The `state` of its login. Tokens from another login never replace it. */
  readonly login?: string | undefined;
  /**
   * A process may be sending the refresh token. No other process changes the row for this many
   * milliseconds, counted from when it first saw this version.
   */
  readonly lease?: number | undefined;
  /** A refresh had no response, so its tokens may be lost. */
  readonly unsure?: boolean | undefined;
}

/** A session's row: the login (`null` after a logout), and the version for the next change. */
interface LoginRow {
  readonly stored: StoredLogin | null;
  readonly version: number;
}

/**
 * Tokens are renewed when a tenth of their lifetime is left, but at most this long before they
 * expire.
 */
const MAX_RENEWAL_MARGIN_MS = 10_000;

/** A session's stored tokens, and their age as seen by this process. */
export interface LoginRepository extends Pick<Ages, 'moment' | 'passed'> {
  read(): Promise<LoginRow>;
  /** Only writes if the row still has this version. */
  swap(version: number, stored: StoredLogin | null): Promise<boolean>;
  put(stored: StoredLogin | null): Promise<number>;
  /**
   * Converts new tokens to a login to store, keeping fields the server omitted. Their age counts
   * from the request.
   */
  toStored(
    tokens: Tokens,
    before: Pick<StoredLogin, 'refresh' | 'scopes' | 'login'>,
    asked: Moment,
  ): StoredLogin;
  /**
   * Checks whether the access token is still valid. The process that received it knows its exact
   * age. Another process may underestimate it, get one 401 and renew. No process treats a valid
   * token as expired.
   */
  isAlive(stored: StoredLogin): boolean;
  /** Returns the latest time at which the access token expires, by this process's clock. */
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
 * Identifies a token together with its lifetime, because a server may resend it with its remaining
 * lifetime.
 */
function nameLogin({ access, life }: StoredLogin): string {
  return `${life} ${access}`;
}

/**
 * What's needed to finish a login. The verifier is generated here, sent only at the end, and used
 * once.
 */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
}

/** Maximum number of a session's pending logins. The oldest is dropped. */
const MAX_PENDING = 5;
/** How long a login may be pending, by this process's clock. */
const PENDING_FOR_MS = 10 * 60_000;

/** Opens a session's pending logins, which are in one row. */
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
    /** Takes the pending login with this state. A second call gets `undefined`. */
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

/** A moment by both clocks of this process. */
type Moment = readonly [wall: number, monotonic: number];

/** More names than are in use at once. A forgotten name counts as new. */
const MAX_REMEMBERED = 8;

interface Ages {
  moment(): Moment;
  /** Records when a name was first seen. */
  note(name: string, at: Moment): Moment;
  /** Returns when a name was first seen. For a new one, that's now. */
  since(name: string): Moment;
  /** Returns the milliseconds since a moment. */
  passed(from: Moment): number;
}

/**
 * Tracks ages with this process's clocks, from when it first saw a name. Another process's time is
 * useless, because its clock may be hours off. So the real age may be higher, but never lower.
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
     * Takes the larger difference, because a wall clock can be set back, and the monotonic clock
     * may stop during sleep.
     */
    passed: ([wall, monotonic]: Moment): number =>
      Math.max(clock.now() - wall, clock.monotonic() - monotonic),
  };
}
