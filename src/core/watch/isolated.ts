import { systemClock } from '../time/index.ts';

/** Calls what a user of this package wrote: what it throws is its own, goes to the platform, and stops nobody else. */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/** Reports an error as one that nobody caught; by a task of its own where the platform has no word for that. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}
