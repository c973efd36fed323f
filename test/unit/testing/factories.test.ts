// Protects: what a user's test is given is what the service could have sent, and the same every time.
import { expect } from 'chai';
import * as kit from 'paystate/testing';
import { rejectDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, json, openShop } from '../core/shop.ts';
import { factories, type Reading } from './kit.ts';

const readBack = ({ body, read }: Reading): Promise<unknown> => {
  const { fetch } = answering(json(body, statusOf(read)));
  const { client, run } = openShop({ fetch, drift: rejectDrift, maxAttempts: 1 });
  return run(read(client));
};

/** Operations that create respond with 201, the others with 200. */
const statusOf = (read: Reading['read']): number =>
  /invoices\.quote\(/.test(`${read}`) ? 201 : 200;

describe('factories', () => {
  it('are there for every resource', () => {
    const made = Object.keys(kit).filter((name) => /^make/.test(name));
    expect(made.filter((name) => !factories[name])).to.have.members([
      'makeDelivery',
      'makeErrorResponse',
      'makePage',
    ]);
  });

  for (const [name, made] of Object.entries(factories)) {
    it(`${name} makes what a client reads, with nothing that is unknown to it`, async () => {
      for (const index of [0, 7]) {
        const reading = made({ index });
        expect(await readBack(reading)).to.deep.equal(reading.value ?? reading.body);
      }
    });

    it(`${name} makes the same again, and shares nothing with what it made`, () => {
      const [one, other] = [made({ index: 3 }).body, made({ index: 3 }).body];
      expect(JSON.stringify(one)).to.equal(JSON.stringify(other));
      expect(sharedIn(one, other)).to.deep.equal([]);
    });
  }

  it('give another id and time to each index, and begin where they are told', () => {
    const ids = [0, 1, 2].map((index) => kit.makeInvoice({}, { index }).invoiceId);
    expect(new Set(ids).size).to.equal(3);
    const startAt = Date.UTC(2026, 5, 1, 12);
    expect(kit.makePayout({}, { index: 2, startAt }).created).to.equal('2026-06-01T12:00:02+00:00');
    for (const options of [{ index: -1 }, { index: 0.5 }, { index: 1e12 }, { startAt: Number.NaN }])
      expect(() => kit.makeInvoice({}, options), JSON.stringify(options)).to.throw(/makeInvoice: /);
  });

  it('refer to the first one of each kind', () => {
    const [method, request] = [kit.makeBankPaymentMethod(), kit.makeReceiveRequest()];
    expect(kit.makePayout({}, { index: 4 }).paymentMethodId).to.equal(method.id);
    expect(kit.makeReceive({}, { index: 4 }).receiveRequestId).to.equal(request.receiveRequestId);
    expect(kit.makeEvent({}, { index: 4 }).data.entityId).to.equal(kit.makeInvoice().invoiceId);
    expect(kit.makeInvoice().receiverId).to.equal(kit.makeAccountProfile().id);
  });
});

/** Places at which two values hold the same object. */
const sharedIn = (one: object, other: object, place = ''): readonly string[] =>
  Object.entries(one).flatMap(([name, value]) => {
    const second = (other as Record<string, unknown>)[name];
    if (typeof value !== 'object' || value === null) return [];
    return value === second
      ? [`${place}${name}`]
      : sharedIn(value as object, second as object, `${place}${name}.`);
  });
