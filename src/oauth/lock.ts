import { type Clock, takeTurns } from '../core/time.ts';

/**
 * Runs tasks with the same name one at a time, across all tabs and processes that share the lock.
 */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

interface Locks {
  request(
    name: string,
    options: { readonly ifAvailable: true },
    held: (lock: unknown) => Promise<void> | undefined,
  ): Promise<unknown>;
}

type Release = () => void;

/** How often to retry a lock that another tab holds. */
const POLL_LOCK_MS = 50;

/**
 * Returns the duration of the lease for one token renewal in milliseconds. It's long enough for a
 * store operation and a request.
 */
export function computeLease(attemptTimeout: number): number {
  return 2 * attemptTimeout;
}

/**
 * Creates the default lock. In a page, it uses the browser's Web Locks, which all tabs share.
 * Elsewhere, it uses a queue in this process. A frozen tab keeps its lock, so a call waits for at
 * most `patience` milliseconds and then continues without the lock. That's safe, because the
 * store's compare-and-set prevents conflicts.
 */
export function usualLock(clock: Clock, patience: number): Lock {
  const { document, navigator } = globalThis as {
    readonly document?: unknown;
    readonly navigator?: { readonly locks?: Locks };
  };
  const locks = document === undefined ? undefined : navigator?.locks;
  return locks ? lockOfTabs(locks, clock, patience) : createLine();
}

/**
 * Creates a lock from the browser's Web Locks. It polls the lock instead of waiting for it, so
 * virtual time can advance while another task holds the lock.
 */
function lockOfTabs(locks: Locks, clock: Clock, patience: number): Lock {
  return async (name, work) => {
    for (const asked = clock.monotonic(); ; ) {
      const release = await clock.external(take(locks, name));
      if (release) return work().finally(release);
      if (clock.monotonic() - asked >= patience) return work();
      await clock.wait(POLL_LOCK_MS);
    }
  };
}

/**
 * Takes the lock if it's free. If Web Locks fail, continues without the lock, because the store's
 * compare-and-set prevents conflicts.
 */
function take(locks: Locks, name: string): Promise<Release | undefined> {
  return new Promise((resolve) => {
    locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return void resolve(undefined);
        return new Promise<void>((release) => resolve(release));
      })
      .catch(() => resolve(() => {}));
  });
}

/** Creates a lock that runs tasks with the same name one after the other. */
function createLine(): Lock {
  const turns = new Map<string, ReturnType<typeof takeTurns>>();
  return (name, work) => {
    const inTurn = turns.get(name) ?? takeTurns();
    turns.set(name, inTurn);
    return inTurn(work);
  };
}
