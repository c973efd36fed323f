import { type Clock, takeTurns } from '../core/time.ts';

/** Runs one task at a time under a name, across all tabs and processes that share the lock. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

interface Locks {
  request(
    name: string,
    options: { readonly ifAvailable: true },
    held: (lock: unknown) => Promise<void> | undefined,
  ): Promise<unknown>;
}

type Release = () => void;

/** Polling interval for a lock that another tab holds. */
const POLL_LOCK_MS = 50;

/**
 * Returns the lease for one renewal in milliseconds, long enough for a store operation and a
 * request.
 */
export function computeLease(attemptTimeout: number): number {
  return 2 * attemptTimeout;
}

/**
 * Creates the default lock. In a page, that's the browser's own locks, shared by its tabs.
 * Elsewhere, it's a queue in this process. A frozen tab keeps its lock, so a call waits at most
 * `patience` milliseconds and then continues without it. The store's compare-and-set keeps the
 * order.
 */
export function usualLock(clock: Clock, patience: number): Lock {
  const { document, navigator } = globalThis as {
    readonly document?: unknown;
    readonly navigator?: { readonly locks?: Locks };
  };
  const locks = document === undefined ? undefined : navigator?.locks;
  return locks ? lockOfTabs(locks, clock, patience) : createLine();
}

/** Polls the lock, so a virtual clock only advances while another holder works. */
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
 * Takes the lock if it's free. Without browser locks, the store's compare-and-set keeps the order.
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

/** Runs tasks one after the other, by name. */
function createLine(): Lock {
  const turns = new Map<string, ReturnType<typeof takeTurns>>();
  return (name, work) => {
    const inTurn = turns.get(name) ?? takeTurns();
    turns.set(name, inTurn);
    return inTurn(work);
  };
}
