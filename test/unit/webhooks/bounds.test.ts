// Protects: the limits of a delivery are exactly what they say, however its bytes come, and what a delivery leaves out is no reason
// to lose it.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { signWebhook } from 'paystate/testing';
import { type RawDelivery, verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import { BODY, deliveryOf, EVENT, NEW_SECRET, requestOf } from './deliveries.ts';
import { openShop } from './shop.ts';

const LIMIT = BODY.length + 10;

/** What became of it: the event's id, or a code. */
const outcome = (delivery: Request | RawDelivery): Promise<string> =>
  verifyWebhook(delivery, NEW_SECRET, { maxBodyBytes: LIMIT }).then(
    ({ id }) => id,
    (thrown: unknown) => (isPaystateError(thrown) ? thrown.code : String(thrown)),
  );

/** The same bytes as platforms hand them on: a stream, with its length said before, and bytes. */
const waysOf = async (body: string): Promise<readonly (Request | RawDelivery)[]> => {
  const signature = await signWebhook(body, NEW_SECRET);
  const announced = requestOf(body, signature);
  announced.headers.set('content-length', String(body.length));
  return [requestOf(body, signature), announced, deliveryOf(body, signature)];
};

describe('a delivery', () => {
  it('is taken up to the limit, and refused one byte beyond it', async () => {
    for (const delivery of await waysOf(BODY.padEnd(LIMIT)))
      expect(await outcome(delivery)).to.equal(EVENT.id);
    for (const delivery of await waysOf(BODY.padEnd(LIMIT + 1)))
      expect(await outcome(delivery)).to.equal('BODY_TOO_LARGE');
  });

  it('that is none, or has no body, is an error with a type', async () => {
    const empty = requestOf('', await signWebhook('', NEW_SECRET));
    for (const none of [undefined, null, {}, { headers: {} }, { body: '{}', headers: {} }, empty])
      expect(await outcome(none as RawDelivery)).to.match(/^[A-Z]+_[A-Z_]+$/);
    const bodiless = new Request('https://shop.example', {
      method: 'POST',
      headers: { 'x-webhook-signature': await signWebhook('', NEW_SECRET) },
    });
    expect(await outcome(bodiless)).to.equal('RESPONSE_NOT_JSON');
  });

  it('whose time cannot be read is kept as of now, and handled', async () => {
    const shop = await openShop();
    const id = await shop.create();
    await shop.sandbox.advance(10_000);
    expect(await shop.deliver('invoice.updated', id, { created: 'yesterday' })).to.equal(200);
    const { oldest } = await shop.store.counts();
    expect(oldest).to.equal(shop.sandbox.clock.now());
    await shop.live(600_000);
    expect((await shop.inbox.status()).open).to.equal(0);
  });
});
