import { type CrashOptions, playLife, type PlayedLife } from './crash-life.ts';
import type { CrashWorld } from './crash-process.ts';

/** What a crash matrix has found. */
export interface CrashReport {
  /** Steps of the flow: each was played before and after its effect. */
  readonly steps: number;
  /** Lives in which something was wrong; empty where all is well. */
  readonly failures: readonly PlayedLife[];
}

/**
 * Kills a process before and after each of its steps, starts another one with the same journal, and
 * asks you what became of it: once for each step of the flow, such as "at most one payment".
 *
 * @example
 * const play = () => crashMatrix({
 *   open: () => createSandbox(),
 *   run: ({ clientOptions, store }, { payer }) => {
 *     const client = createClient(clientOptions);
 *     const to = 'ada@wallet.example';
 *     const amount = { amount: '5.00', currency: 'EUR' };
 *     const limits = { sourceCurrency: 'EUR', maxFee: 'any' } as const;
 *     return pay(client, { intent: 'a', to, amount, ...limits, journal: store }).result;
 *   },
 *   check: ({ ledger }) =>
 *     ledger.postings.filter(({ why }) => why === 'payment COMPLETED').length > 1 ? ['paid twice'] : [],
 * });
 * // in a test: expect((await play()).failures).toEqual([])
 */
export async function crashMatrix<World extends CrashWorld, Result>(
  options: CrashOptions<World, Result> & {
    /** Milliseconds between a death and the next start; 1,000. */
    readonly pause?: number | undefined;
  },
): Promise<CrashReport> {
  const { pause = 1_000 } = options;
  const whole = await playLife(options, { deaths: [], pause });
  const failures: PlayedLife[] = whole.problems.length > 0 ? [whole] : [];
  for (let step = 1; step <= whole.steps; step++)
    for (const isAfter of [false, true]) {
      const life = await playLife(options, { deaths: [{ step, isAfter }], pause });
      if (life.problems.length > 0) failures.push(life);
    }
  return { steps: whole.steps, failures };
}
