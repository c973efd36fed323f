import type { Clock } from '../core/time/index.ts';
import type { Lock } from './model.ts';

/** As much of the browser's lock manager as is used. */
interface Locks {
  request(
    name: string,
    options: { readonly ifAvailable: true },
    held: (lock: unknown) => Promise<void> | undefined,
  ): Promise<unknown>;
}

/** Lets go of a lock. */
type Release = () => void;

/** How often to ask for a lock that another tab holds, milliseconds. */
const GLANCE = 50;

/**
 * How long one renewal is left alone: the way to the store, then the request, each at its longest;
 * milliseconds.
 */
export function leaseOf(attemptLimit: number): number {
  return 2 * attemptLimit;
}

/**
 * In a page the browser's own locks, which all its tabs share; elsewhere a line in this process. A
 * frozen tab keeps its lock for as long as it is frozen, so nobody waits longer than `patience`:
 * the store alone keeps order then.
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
 * Asks again and again instead of queueing, so that time, which may be virtual, passes only while
 * somebody else is at work.
 */
function lockOfTabs(locks: Locks, clock: Clock, patience: number): Lock {
  return async (name, work) => {
    for (const asked = clock.monotonic(); ; ) {
      const release = await clock.external(take(locks, name));
      if (release) return work().finally(release);
      if (clock.monotonic() - asked >= patience) return work();
      await clock.wait(GLANCE);
    }
  };
}

/** The lock, if nobody has it. Where the browser gives none at all, the store alone keeps order. */
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

/** One work after the other, by name. */
function createLine(): Lock {
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(work);
    last.set(
      name,
      turn.catch(() => {}),
    );
    return turn;
  };
}
