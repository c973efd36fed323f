import { isPaystateError } from '../../core/errors/index.ts';
import { type CallOptions, internals } from '../../core/http/index.ts';
import { type PayEvent, QUOTE_EXPIRED } from './apply-event.ts';
import type { Search } from './rail.ts';
import type { Moved } from './row.ts';

/** So many reads, so far apart, show that nothing was executed: a replica may lag behind for one. */
const READS = 3;
const BETWEEN = 10_000;

/**
 * Looks whether something that can be read was executed, when nothing can execute it any more: it was
 * not only where all reads say so.
 */
export async function readUntilMoved(
  id: string,
  { client, signal, now: at }: Search,
  read: (options: CallOptions) => Promise<Moved>,
): Promise<PayEvent> {
  const { clock } = client[internals];
  const evidence = { searchedAt: at, candidates: [] };
  try {
    for (let count = 0; count < READS; count++) {
      if (count > 0) await clock.wait(BETWEEN, signal);
      const found = await read({ signal, reason: 'was it executed' });
      if (found.state !== 'NEW')
        return { is: 'found', at, evidence, paymentId: id, payment: found };
    }
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    const { neededScope } = thrown;
    return { is: 'unclear', at, evidence: { ...evidence, isIncomplete: true, neededScope } };
  }
  const text = 'the service shows that it was not executed';
  const why = { code: QUOTE_EXPIRED, kind: 'refused', next: 'new-quote', text } as const;
  return { is: 'not-executed', at, evidence, why };
}

/** Whether it is known to have been executed. */
export async function hasMoved(read: (options: CallOptions) => Promise<Moved>): Promise<boolean> {
  try {
    return (await read({ reason: 'was it executed' })).state !== 'NEW';
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return false;
  }
}
