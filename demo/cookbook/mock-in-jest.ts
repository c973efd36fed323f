// Test your own code with Jest. The sandbox is the service, so you mock nothing. In a test file:
// import { expect, test } from '@jest/globals'. Jest needs NODE_OPTIONS=--experimental-vm-modules.
import { type Client, createClient, hasCode } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

/** The code under test. */
const cancel = (client: Client, invoiceId: string): Promise<string> =>
  client.invoices.cancel(invoiceId).then(
    () => 'cancelled',
    (thrown: unknown) => (hasCode(thrown, 'INVALID_STATE_FOR_INVOICE_PAID') ? 'too late' : 'error'),
  );

type Test = (title: string, body: () => Promise<void>) => void;
type Expect = (actual: unknown) => { toBe(expected: unknown): void };

export const tests = (test: Test, expect: Expect) => {
  test('a paid order cannot be cancelled', async () => {
    const sandbox = createSandbox(); // each test has its own, so they may run at once
    const client = createClient(sandbox.clientOptions);
    const draft = { amount: { amount: '5.00', currency: 'EUR' } };
    const { invoiceId } = await sandbox.run(client.invoices.create(draft));
    await sandbox.run(sandbox.payer.pay(invoiceId));
    expect(await sandbox.run(cancel(client, invoiceId))).toBe('too late');
  });
};

/** Runs without Jest, with the least that has its form. */
export async function example() {
  const seen: unknown[] = [];
  const bodies: (() => Promise<void>)[] = [];
  const expect: Expect = (actual) => ({ toBe: (expected) => seen.push(actual === expected) });
  tests((_title, body) => bodies.push(body), expect);
  for (const body of bodies) await body();
  return seen;
}

if (import.meta.main) console.log(await example());
