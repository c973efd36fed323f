import type { ReceiveRequest } from 'paystate';
import type { Shop } from './shop.ts';

const MINUTE = 60_000;

/** Makes receive requests, each of which is read by a request of its own, with an unused limit. */
export async function receiveRequests(
  { client, sandbox }: Shop,
  count: number,
): Promise<readonly ReceiveRequest[]> {
  const patient = client.withOptions({ callTimeout: 3_600_000 });
  const made: Promise<ReceiveRequest>[] = [];
  for (let n = 0; n < count; n++)
    made.push(sandbox.run(patient.receiveRequests.create({ onchain: {} })));
  const all = await Promise.all(made);
  await sandbox.advance(61 * MINUTE);
  return all;
}

/** Sends own reads for minutes, `perMinute` in each. */
export async function asking(shop: Shop, perMinute: number, minutes: number): Promise<void> {
  for (let n = 0; n < perMinute * minutes; n++) {
    shop.client.balances.list().catch(() => {});
    await shop.sandbox.advance(MINUTE / perMinute);
  }
}
