// Checks that a store of rate limits counts once for all who share it; in whichever runtime this
// runs.
import { createClient, testRateLimits } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import type { RateLimitStore } from 'paystate/stores';

const LIMIT = 10;
const HOUR = 3_600_000;
const rateLimits = {
  ...testRateLimits,
  others: { limit: LIMIT, window: HOUR, block: HOUR },
};

/**
 * Rejects where several clients, each with a store of its own, send more than the limit together,
 * or fewer than it has places for.
 */
export async function checkRateLimitStore(open: () => RateLimitStore): Promise<void> {
  const sandbox = createSandbox({ clock: 'real', signed: false });
  let sent = 0;
  const clientOf = (rateLimitStore: RateLimitStore) =>
    createClient({
      ...sandbox.clientOptions,
      fetch: (url, init) => {
        sent += 1;
        return sandbox.clientOptions.fetch!(url, init);
      },
      rateLimits,
      queueTimeout: 1,
      maxAttempts: 1,
      rateLimitStore,
    });
  const clients = Array.from({ length: 3 }, () => clientOf(open()));
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'DONE',
      (thrown: { readonly code: string }) => thrown.code,
    );
  const ask = (n: number) => codeOf(clients[n % 3]!.payouts.initiate('x'));
  const codes: string[] = [];
  for (let n = 0; n < LIMIT + 5; n++) codes.push(await ask(n));
  const stopped = codes.filter((code) => code === 'QUEUE_TIMEOUT').length;
  if (sent !== LIMIT || stopped !== 5)
    throw new Error(`a limit of ${LIMIT} let ${sent} through: ${codes.join(' ')}`);
}
