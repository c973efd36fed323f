import { agesOf } from './ages.ts';
import type { Place } from './kept.ts';

/** What a login needs to be finished: made here, told to nobody, taken once. */
export interface Begun {
  readonly state: string;
  readonly verifier: string;
}

/** Logins of one session that may be under way at once: more are more tabs than a person has. */
const MOST = 5;
/** How long a user may take, milliseconds, as far as this process knows when it began. */
const LIFE = 10 * 60_000;

/** The logins of a session that are under way, in the session's own row. */
export function begunOf({ store, session, clock }: Place) {
  const key = `oauth/${session}/begun`;
  const ages = agesOf(clock);

  async function change(how: (all: readonly Begun[]) => readonly Begun[]): Promise<void> {
    for (;;) {
      const row = await store.get(key);
      const found = (row?.value ?? []) as readonly Begun[];
      const all = found.filter(({ state }) => ages.passed(ages.since(state)) < LIFE);
      if (await store.compareAndSet(key, row?.version ?? 0, how(all))) return;
    }
  }

  return {
    async keep(begun: Begun): Promise<void> {
      ages.since(begun.state);
      await change((all) => [...all, begun].slice(-MOST));
    },
    /** Takes what was begun with this state: the second who asks gets nothing. */
    async take(state: string | null): Promise<Begun | undefined> {
      let found: Begun | undefined;
      await change((all) => {
        found = all.find((begun) => begun.state === state);
        return all.filter((begun) => begun !== found);
      });
      return found;
    },
  };
}
