// Node only: test tools compute the same in every engine.
// Protects: a receiver that passes with these deliveries passes with those of the service, and the spoiled ones are refused.
import { expect } from 'chai';
import { createClient, type EventType } from 'paystate';
import { eventTypes } from 'paystate/endpoints';
import { rejectDrift } from 'paystate/schemas';
import { memoryInboxStore } from 'paystate/stores';
import { makeDelivery, makeEvent, makeInvoice, type MadeDeliveryFault } from 'paystate/testing';
import { createInbox, verifyWebhook } from 'paystate/webhooks';
import { describe, it } from '#test';
import { answering, failureOf, json, openShop, reasonOf } from '../core/shop.ts';

const SECRET = 'the secret of this shop';
const types = Object.keys(eventTypes) as readonly EventType[];

const CODES: Readonly<Record<MadeDeliveryFault, string>> = {
  'other-secret': 'SIGNATURE_MISMATCH',
  'changed-body': 'SIGNATURE_MISMATCH',
  reserialised: 'SIGNATURE_MISMATCH',
  'no-signature': 'SIGNATURE_MISSING',
  'malformed-signature': 'SIGNATURE_MALFORMED',
};
const faults = Object.keys(CODES) as readonly MadeDeliveryFault[];

describe('an event', () => {
  it('of any type is one that a client reads, and says what the service says of that type', async () => {
    for (const eventType of types) {
      const event = makeEvent({ eventType });
      const { fetch } = answering(json(event));
      const { client, run } = openShop({ fetch, drift: rejectDrift });
      expect(await run(client.events.get(event.id))).to.deep.equal(event);
      expect(event.data.changes).to.deep.equal(
        eventType.endsWith('.updated') ? ['state'] : undefined,
      );
      expect(event.data.receiveId !== undefined).to.equal(eventType.startsWith('receive-request.'));
    }
  });
});

describe('a delivery', () => {
  it('is accepted, for every type, and carries no deliverySuccess', async () => {
    for (const eventType of types) {
      const { deliverySuccess: _, ...event } = makeEvent({ eventType });
      const read = await verifyWebhook(await makeDelivery(event, SECRET), SECRET);
      expect(JSON.parse(JSON.stringify(read))).to.deep.equal(event);
    }
  });

  it('of an old event, of an unknown type or version is accepted too', async () => {
    for (const members of [
      { created: '2020-01-01T00:00:00+00:00' },
      { eventType: 'card.updated' },
      { webhookVersion: 'v9' },
    ])
      expect(
        await verifyWebhook(await makeDelivery(makeEvent(members), SECRET), SECRET),
      ).to.include(members);
  });

  it('that is spoiled is refused, each by its own code', async () => {
    for (const fault of faults) {
      const request = await makeDelivery(makeEvent(), SECRET, { fault });
      expect((await failureOf(verifyWebhook(request, SECRET))).code, fault).to.equal(CODES[fault]);
    }
    const unknown = makeDelivery(makeEvent(), SECRET, { fault: 'lost' as never });
    expect((await failureOf(unknown)).message).to.match(/^fault: must be one of other-secret/);
    expect((await failureOf(makeDelivery(makeEvent(), 'short'))).code).to.equal('SECRET_INVALID');
  });

  it('runs the handler of a shop, and none where it is spoiled', async () => {
    const paid = makeInvoice({ state: 'PAID' });
    const { sandbox } = openShop();
    const { fetch } = answering(json(paid));
    const handled: string[] = [];
    const inbox = createInbox({
      client: createClient({ ...sandbox.clientOptions, fetch }),
      secrets: SECRET,
      store: memoryInboxStore(),
      on: { invoicePaid: ({ invoiceId }) => void handled.push(invoiceId) },
    });
    const url = 'https://shop.example/elsewhere';
    for (const fault of faults) {
      const request = await makeDelivery(makeEvent(), SECRET, { fault });
      expect((await sandbox.run(inbox.handle(request))).status, fault).to.equal(401);
    }
    const request = await makeDelivery(makeEvent(), SECRET, { url });
    expect(request.url).to.equal(url);
    expect((await sandbox.run(inbox.handle(request))).status).to.equal(200);
    await sandbox.run(inbox.drain());
    expect(handled).to.deep.equal([paid.invoiceId]);
  });

  it('needs a secret that is none of the errors’', async () => {
    const thrown = await reasonOf(makeDelivery(makeEvent(), ' a secret with a blank '));
    expect(`${thrown}`).not.to.include('a secret with a blank');
  });
});
