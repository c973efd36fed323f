import type { Clock } from '../core/time/index.ts';
import type { payeeOf } from '../lightning/payee.ts';

/** Finds who signed a code; `undefined` where the signature does not fit. */
export type PayeeOf = typeof payeeOf;

/** How long the check may take, milliseconds: for that long the code before stays on show. */
const LONGEST = 1_500;

/**
 * Loads the check of signatures, which weighs a fifth of a checkout and is needed from the second
 * code on. Resolves to `undefined` where it cannot be loaded in time or `signal` aborts, and never
 * rejects.
 */
export async function loadPayeeOf(clock: Clock, signal: AbortSignal): Promise<PayeeOf | undefined> {
  const loaded = import('../lightning/payee.ts').then(
    (module) => module.payeeOf,
    () => undefined,
  );
  const late = clock.wait(LONGEST, signal).then(() => undefined);
  return Promise.race([clock.external(loaded), late]);
}
