import { systemClock } from '../time/index.ts';

/**
 * Calls a listener of the user: what it throws is reported to the platform and stops no other
 * listener.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/** Reports an error as uncaught; by a task of its own where the platform has no `reportError`. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}
