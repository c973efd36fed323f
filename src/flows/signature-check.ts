import type { Clock } from '../core/clock.ts';
import type { payeeOf } from '../lightning/payee.ts';

/** Finds who signed a code; `undefined` where the signature does not fit. */
export type PayeeOf = typeof payeeOf;

/** How long a code waits for the check, milliseconds: the one before it is on show for that long. */
const LONGEST = 3_000;

/**
 * Loads the check of signatures, which weighs a fifth of a checkout and is needed from the second code on.
 * Resolves to `undefined` where it cannot be loaded in time or `signal` aborts, and never rejects.
 */
export async function loadPayeeOf(clock: Clock, signal: AbortSignal): Promise<PayeeOf | undefined> {
  const loaded = import('../lightning/payee.ts').then(
    (module) => module.payeeOf,
    () => undefined,
  );
  return (await Promise.race([clock.external(loaded), clock.wait(LONGEST, signal)])) ?? undefined;
}
