// Test your own code with Vitest: replace one operation by a valid value of your choice.
// In a test file: import { vi } from 'vitest', and shipsPaidOrders(vi).
import { type Client, createClient } from 'paystate';
import { makeErrorResponse, makeInvoice } from 'paystate/testing';

/** What is tested. */
const isPaid = async (client: Client, invoiceId: string): Promise<boolean> =>
  (await client.invoices.get(invoiceId)).state === 'PAID';

/** As much of Vitest's `vi` as is used here. */
export interface Vi {
  spyOn(owner: object, member: string): { mockResolvedValue(value: unknown): unknown };
}

export async function shipsPaidOrders(vi: Vi): Promise<readonly boolean[]> {
  const fetch = async () => makeErrorResponse('NOT_FOUND'); // what is not replaced is refused
  const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY', fetch });
  const mock = vi.spyOn(client.invoices, 'get');
  mock.mockResolvedValue(makeInvoice({ state: 'PAID' }));
  const paid = await isPaid(client, 'an-id'); // expect(paid).toBe(true)
  mock.mockResolvedValue(makeInvoice({ state: 'UNPAID' }));
  return [paid, await isPaid(client, 'an-id')];
}

/** Without Vitest: the least that has its form. */
export const example = () =>
  shipsPaidOrders({
    spyOn: (owner, member) => ({
      mockResolvedValue: (value) => Object.assign(owner, { [member]: async () => value }),
    }),
  });

if (import.meta.main) console.log(await example());
