import type { Invoice } from 'paystate';
import type { Shop } from './shop.ts';

/** Makes invoices, as many a minute as the rate limit lets through, and forgets the requests. */
export async function invoices(shop: Shop, count: number): Promise<Invoice[]> {
  const made: Invoice[] = [];
  await shop.sandbox.run(
    (async () => {
      const patient = shop.client.withOptions({ callTimeout: 600_000 });
      for (let n = 0; n < count; n++)
        made.push(await patient.invoices.create({ amount: { amount: '1', currency: 'USD' } }));
    })(),
  );
  shop.requests.length = 0;
  return made;
}
