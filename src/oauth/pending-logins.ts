import { agesOf } from './ages.ts';
import type { Place } from './stored-login.ts';

/** What finishes a login: made here, never sent, used once. */
export interface PendingLogin {
  readonly state: string;
  readonly verifier: string;
}

/** Pending logins of one session at most; the oldest is dropped. */
const MOST = 5;
/** How long a login may be pending, milliseconds, by this process's clock. */
const LIFE = 10 * 60_000;

/** The pending logins of a session, in one row. */
export function pendingLoginsOf({ store, sessionId, clock }: Place) {
  const key = `oauth/${sessionId}/begun`;
  const ages = agesOf(clock);

  async function change(
    how: (all: readonly PendingLogin[]) => readonly PendingLogin[],
  ): Promise<void> {
    for (;;) {
      const row = await store.get(key);
      const found = (row?.value ?? []) as readonly PendingLogin[];
      const all = found.filter(({ state }) => ages.passed(ages.since(state)) < LIFE);
      if (await store.swap(key, row?.version ?? 0, how(all))) return;
    }
  }

  return {
    async keep(begun: PendingLogin): Promise<void> {
      ages.since(begun.state);
      await change((all) => [...all, begun].slice(-MOST));
    },
    /** Takes the pending login with this state; a second call gets `undefined`. */
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
