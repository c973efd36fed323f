import { type Ages, agesOf, type Moment } from './ages.ts';
import type { Settings } from './options.ts';
import type { Tokens } from './server.ts';

/** A login as it is kept. No time stands in it: the clocks of processes are never compared. */
export interface Kept {
  readonly access: string;
  readonly refresh?: string | undefined;
  /**
   * How long the access token lives, milliseconds from when it was asked for; absent where the
   * server did not say.
   */
  readonly life?: number | undefined;
  readonly scopes: readonly string[];
  /** Which login of the user it came of: what belongs to another one is never mixed with it. */
  readonly login?: string | undefined;
  /**
   * Somebody may be sending the refresh token. For so many milliseconds, counted by each process
   * from when it first saw this version of the row, nobody else touches it.
   */
  readonly lease?: number | undefined;
  /** A refresh had no answer: its tokens may be lost. */
  readonly unsure?: boolean | undefined;
}

/** The row of a session: what is kept (`null`: logged out), and the number for the next change. */
export interface KeptRow {
  readonly kept: Kept | null;
  readonly version: number;
}

/** A tenth of a token's life, at most ten seconds, is left for the way. */
const MARGIN = 10_000;

/**
 * Where a session's tokens are, the only place outside of closures, and how old they are as far as
 * this process knows.
 */
export interface Book extends Pick<Ages, 'moment' | 'passed'> {
  read(): Promise<KeptRow>;
  /** Writes only if nobody wrote since. */
  swap(version: number, kept: Kept | null): Promise<boolean>;
  put(kept: Kept | null): Promise<number>;
  /**
   * Tokens as they are kept, with their age from when they were asked for; what the server left out
   * stays as it was.
   */
  keptOf(tokens: Tokens, before: Pick<Kept, 'refresh' | 'scopes' | 'login'>, asked: Moment): Kept;
  /**
   * Whether the access token is not over. Who got it knows best; who saw it later may hold it alive
   * for too long, hears a 401 once and has it renewed; nobody takes a living one for dead.
   */
  isAlive(kept: Kept): boolean;
  /** When the access token ends by this process's clock, at the latest. */
  endOf(kept: Kept): number | undefined;
}

/** Where a session's rows are, and the clock of who reads them. */
export type Place = Pick<Settings, 'store' | 'session' | 'clock'>;

/** Opens the book of one login. */
export function bookOf({ store, session, clock }: Place): Book {
  const key = `oauth/${session}/tokens`;
  const ages = agesOf(clock);
  const since = (kept: Kept): Moment => ages.since(nameOf(kept));
  return {
    ...ages,
    async read() {
      const row = await store.get(key);
      const kept = (row?.value ?? null) as Kept | null;
      if (kept) since(kept);
      return { kept, version: row?.version ?? 0 };
    },
    swap: (version, kept) => store.compareAndSet(key, version, kept),
    put: (kept) => store.put(key, kept),
    keptOf({ access, refresh, life, scopes }, before, asked) {
      const kept = {
        access,
        life,
        refresh: refresh ?? before.refresh,
        scopes: scopes ?? before.scopes,
        login: before.login,
      };
      ages.note(nameOf(kept), asked);
      return kept;
    },
    isAlive(kept) {
      const { life = Infinity } = kept;
      return ages.passed(since(kept)) < life - Math.min(MARGIN, Math.floor(life / 10));
    },
    endOf: (kept) => (kept.life === undefined ? undefined : since(kept)[0] + kept.life),
  };
}

/** A server may send a token again, with what is left of its life. */
function nameOf({ access, life }: Kept): string {
  return `${life} ${access}`;
}
