import { accountOf, type Account, type World } from '../world/world.ts';

/** How an account was set up, and its keys. */
export interface AccountInspection extends Account {
  /** All API keys, the first one first; no tokens of the login server. */
  readonly apiKeys: readonly {
    /** The key itself: it opens this sandbox alone. */
    readonly apiKey: string;
    /** What it may do; absent: everything. */
    readonly scopes: readonly string[] | undefined;
    /** Whether it has been revoked, and is refused. */
    readonly isRevoked: boolean;
  }[];
}

export function inspectAccount(world: World, handle: string | undefined): AccountInspection {
  const account = accountOf(world, handle);
  const keys = [...world.keys].filter(([, key]) => key.account === account && !key.until);
  return {
    ...account,
    apiKeys: keys.map(([apiKey, { scopes, isRevoked = false }]) => ({
      apiKey,
      scopes: scopes && [...scopes],
      isRevoked,
    })),
  };
}
