// Retry after a lost response without selling twice: the order's own number names the invoice,
// and the error says whether the same call is safe to repeat.
import { type Client, createClient, type Invoice, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** A job for a queue: the invoice of an order, or in how many milliseconds to run the job again. */
export async function invoiceFor(client: Client, orderId: string): Promise<Invoice | number> {
  const draft = { correlationId: orderId, amount: { amount: '42.00', currency: 'EUR' } };
  try {
    return (await client.invoices.ensure(draft)).invoice; // makes it, or finds what was made
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    console.log(thrown.code, thrown.outcome, thrown.next);
    if (thrown.next === 'retry') return 1_000;
    if (thrown.next === 'wait') return Math.max(0, (thrown.retryAt ?? 0) - Date.now());
    throw thrown; // all else does not get better by itself
  }
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient({ ...sandbox.clientOptions, maxAttempts: 1 });
  sandbox.fault({ method: 'POST', path: '/v1/invoices', nth: 1, action: 'lost-after' });
  const first = await sandbox.run(invoiceFor(client, 'order-7781')); // made, and not heard of
  const second = await sandbox.run(invoiceFor(client, 'order-7781'));
  const state = typeof second === 'number' ? second : second.state;
  return { first, state, made: sandbox.inspect('shop').invoices!.length };
}

if (import.meta.main) console.log(await example());
