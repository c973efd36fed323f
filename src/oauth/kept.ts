import type { Settings } from './options.ts';
import type { Tokens } from './server.ts';

/** A login as it is kept. */
export interface Kept {
  readonly access: string;
  readonly refresh?: string | undefined;
  /** From when on it is not used any more, milliseconds since 1970: somewhat before its end. */
  readonly until?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly scopes: readonly string[];
  /** Somebody renews it, at the latest until then; milliseconds since 1970. */
  readonly busyUntil?: number | undefined;
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

/** Where a session's tokens are: the only place outside of closures. */
export function bookOf({ store, session, clock }: Settings) {
  const key = `oauth/${session}/tokens`;
  return {
    async read(): Promise<KeptRow> {
      const row = await clock.external(store.get(key));
      return { kept: (row?.value ?? null) as Kept | null, version: row?.version ?? 0 };
    },
    /** Writes only if nobody wrote since. */
    swap: (version: number, kept: Kept | null): Promise<boolean> => clock.external(store.swap(key, version, kept)),
    put: (kept: Kept | null): Promise<number> => clock.external(store.put(key, kept)),
  };
}

/** Tokens as they are kept; what the server left out stays as it was. */
export function keptOf({ access, refresh, expiresAt, scopes }: Tokens, before: Pick<Kept, 'refresh' | 'scopes'>, now: number): Kept {
  const life = expiresAt === undefined ? 0 : expiresAt - now;
  return {
    access, refresh: refresh ?? before.refresh, expiresAt, scopes: scopes ?? before.scopes,
    until: expiresAt === undefined ? undefined : expiresAt - Math.min(MARGIN, Math.floor(life / 10)),
  };
}

/** Whether a token can be sent: not over, and not the one that was refused. */
export function isUsable({ access, until = Infinity }: Kept, now: number, refused: string | undefined): boolean {
  return access !== refused && now < until;
}
