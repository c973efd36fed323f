import { isPaystateError } from '../../../core/errors/index.ts';
import { type Call, type CallOptions, internals, serviceTime } from '../../../core/http/index.ts';
import type { Search } from '../rail.ts';
import type { Moved } from '../row.ts';
import { type MoveEvent, QUOTE_EXPIRED } from '../transitions.ts';

/**
 * This many reads, with pauses between them, show that nothing was executed: one replica may lag
 * behind.
 */
export const MIN_READS = 3;
/** Pause between two of these reads. */
export const READ_PAUSE_MS = 10_000;
/** After this many reads the service's clock does not move. */
const MAX_READS = 10;

/** How long to wait for the service's clock at most. */
const MAX_CLOCK_WAIT_MS = 600_000;

/**
 * Reads whether a quote or a payout was executed, when nothing can execute it any more: it was not
 * where all reads say so. `notBefore`: reads count from this time of the service on, by the dates
 * of its responses; without dates the result is unclear.
 */
export async function searchByReading(
  id: string,
  { client, signal, now: at }: Search,
  read: (options: CallOptions) => Call<Moved>,
  notBefore: number = -Infinity,
): Promise<MoveEvent> {
  const { clock } = client[internals];
  const evidence = { searchedAt: at, candidates: [] };
  try {
    let pause = 0;
    for (let shown = 0, reads = 0; shown < MIN_READS; reads++) {
      if (reads > 0) await clock.wait(Math.max(READ_PAUSE_MS, pause), signal);
      const call = read({ signal, reason: 'was it executed' });
      const { value: found, headers } = await call.withResponse();
      if (found.state !== 'NEW')
        return { is: 'found', at, evidence, movementId: id, movement: found };
      pause = notBefore === -Infinity ? 0 : notBefore - serviceTime(headers, NaN);
      if (!(pause <= MAX_CLOCK_WAIT_MS) || reads > MAX_READS)
        return { is: 'unclear', at, evidence };
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

/** Reads whether a quote or a payout was executed; `false` where it cannot be read. */
export async function wasExecuted(
  read: (options: CallOptions) => Promise<Moved>,
): Promise<boolean> {
  try {
    return (await read({ reason: 'was it executed' })).state !== 'NEW';
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return false;
  }
}
