// Give up a call when the user leaves. Pass a signal, or a time limit.
import { type Client, createClient, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/**
 * Returns the balances, or the reason why there are none. If the signal aborts, its reason is
 * thrown.
 */
export async function balancesFor(client: Client, signal: AbortSignal): Promise<string> {
  try {
    const balances = await client.balances.list({ signal, callTimeout: 3_000, maxAttempts: 1 });
    return `${balances.length} balances`;
  } catch (thrown) {
    if (signal.aborted) return 'the user has left';
    if (isPaystateError(thrown)) return thrown.code;
    throw thrown;
  }
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient(sandbox.clientOptions);
  const page = new AbortController(); // in a server: request.signal
  sandbox.fault({ path: '/v1/balances', nth: 1, action: { delay: 20_000 } });
  const slow = await sandbox.run(balancesFor(client, page.signal));
  const good = await sandbox.run(balancesFor(client, page.signal));
  page.abort();
  return [slow, good, await sandbox.run(balancesFor(client, page.signal))];
}

if (import.meta.main) console.log(await example());
