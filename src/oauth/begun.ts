import type { Settings } from './options.ts';

/** What a login needs to be finished: made here, told to nobody, taken once. */
export interface Begun {
  readonly state: string;
  readonly verifier: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Logins of one session that may be under way at once: more are more tabs than a person has. */
const MOST = 5;
/** How long a user may take, milliseconds. */
const LIFE = 10 * 60_000;

/** Keeps what was begun, in the session's own row. */
export async function keepBegun(settings: Settings, begun: Begun): Promise<void> {
  await change(settings, (all) => [...all, begun].slice(-MOST));
}

/** Takes what was begun with this state: the second who asks gets nothing. */
export async function takeBegun(settings: Settings, state: string | null): Promise<Begun | undefined> {
  let found: Begun | undefined;
  await change(settings, (all) => {
    found = all.find((begun) => begun.state === state);
    return all.filter((begun) => begun !== found);
  });
  return found;
}

async function change({ store, session, clock }: Settings, how: (all: readonly Begun[]) => readonly Begun[]): Promise<void> {
  const key = `oauth/${session}/begun`;
  for (;;) {
    const row = await clock.external(store.get(key));
    const all = ((row?.value ?? []) as readonly Begun[]).filter(({ at }) => clock.now() - at < LIFE);
    if (await clock.external(store.swap(key, row?.version ?? 0, how(all)))) return;
  }
}
