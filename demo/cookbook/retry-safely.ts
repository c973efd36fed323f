// Retry after a lost response without selling twice. The order's own number names the invoice, and
// the error tells you whether you can repeat the same call.
import { type Client, createClient, type Invoice, isPaystateError } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/**
 * A job for a queue. Returns the invoice of an order, or when to run the job again, in
 * milliseconds.
 */
export async function invoiceFor(client: Client, orderId: string): Promise<Invoice | number> {
  const draft = { correlationId: orderId, amount: { amount: '42.00', currency: 'EUR' } };
  try {
    return (await client.invoices.ensure(draft)).invoice; // creates it, or finds it if it exists
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    console.log(thrown.code, thrown.outcome, thrown.next);
    if (thrown.next === 'retry') return 1_000;
    if (thrown.next === 'wait') return Math.max(0, (thrown.retryAt ?? 0) - Date.now());
    throw thrown; // another try doesn't help
  }
}

export async function example() {
  const sandbox = createSandbox();
  const client = createClient({ ...sandbox.clientOptions, maxAttempts: 1 });
  sandbox.fault({ method: 'POST', path: '/v1/invoices', nth: 1, action: 'lost-after' });
  const first = await sandbox.run(invoiceFor(client, 'order-7781')); // its response is lost
  const second = await sandbox.run(invoiceFor(client, 'order-7781'));
  const state = typeof second === 'number' ? second : second.state;
  return { first, state, made: sandbox.inspect('shop').invoices!.length };
}

if (import.meta.main) console.log(await example());
