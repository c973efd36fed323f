// Test your own code with Vitest. Replace one operation by a valid value of your choice.
// In a test file: import { vi } from 'vitest', and shipsPaidOrders(vi).
import { type Client, createClient } from 'paystate';
import { makeErrorResponse, makeInvoice } from 'paystate/testing';

/** The code under test. */
const isPaid = async (client: Client, invoiceId: string): Promise<boolean> =>
  (await client.invoices.get(invoiceId)).state === 'PAID';

/** The part of Vitest's `vi` that this recipe uses. */
export interface Vi {
  spyOn(owner: object, member: string): { mockResolvedValue(value: unknown): unknown };
}

export async function shipsPaidOrders(vi: Vi): Promise<readonly boolean[]> {
  const fetch = async () => makeErrorResponse('NOT_FOUND'); // for all other operations
  const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY', fetch });
  const mock = vi.spyOn(client.invoices, 'get');
  mock.mockResolvedValue(makeInvoice({ state: 'PAID' }));
  const paid = await isPaid(client, 'an-id'); // expect(paid).toBe(true)
  mock.mockResolvedValue(makeInvoice({ state: 'UNPAID' }));
  return [paid, await isPaid(client, 'an-id')];
}

/** Runs without Vitest, with the least that has its form. */
export const example = () =>
  shipsPaidOrders({
    spyOn: (owner, member) => ({
      mockResolvedValue: (value) => Object.assign(owner, { [member]: async () => value }),
    }),
  });

if (import.meta.main) console.log(await example());
