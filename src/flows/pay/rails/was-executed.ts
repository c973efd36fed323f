import { isPaystateError } from '../../../core/errors/index.ts';
import { type Call, type CallOptions, internals, serviceTime } from '../../../core/http/index.ts';
import type { Search } from '../rail.ts';
import type { Moved } from '../row.ts';
import { type PayEvent, QUOTE_EXPIRED } from '../transitions.ts';

/** So many reads, so far apart, show that nothing was executed: a replica may lag behind for one. */
const READS = 3;
const BETWEEN = 10_000;
/** After so many reads the service's clock stands still. */
const MOST_READS = 10;

/** The service's clock is waited for so long at most, milliseconds. */
const LONGEST = 600_000;

/**
 * Looks whether something that can be read was executed, when nothing can execute it any more: it was
 * not only where all reads say so. `notBefore`: reads count from this time of the service on, by its own
 * responses; where they do not tell the time, nobody knows.
 */
export async function readUntilMoved(
  id: string,
  { client, signal, now: at }: Search,
  read: (options: CallOptions) => Call<Moved>,
  notBefore: number = -Infinity,
): Promise<PayEvent> {
  const { clock } = client[internals];
  const evidence = { searchedAt: at, candidates: [] };
  try {
    let pause = 0;
    for (let shown = 0, reads = 0; shown < READS; reads++) {
      if (reads > 0) await clock.wait(Math.max(BETWEEN, pause), signal);
      const call = read({ signal, reason: 'was it executed' });
      const { value: found, headers } = await call.withResponse();
      if (found.state !== 'NEW')
        return { is: 'found', at, evidence, paymentId: id, payment: found };
      pause = notBefore === -Infinity ? 0 : notBefore - serviceTime(headers, NaN);
      if (!(pause <= LONGEST) || reads > MOST_READS) return { is: 'unclear', at, evidence };
      if (pause <= 0) shown++;
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
