// Node only: test tools compute the same in every engine.
// Protects: the matchers of the test kit hold where it is so, fail where it is not, and say what is the case.
import * as chai from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { chaiMatchers, createRecorder, makeInvoice, matchers } from 'paystate/testing';
import { describe, it } from '#test';
import { orderOf } from '../flows/pay-lives.ts';

const { expect } = chai;
const EXECUTE = { method: 'PATCH', path: '/v1/payment-quotes/{paymentQuoteId}/execute' };

/** A shop that pays so often, each time by a new intent, and loses its first response. */
const payTimes = async (times: number, state?: string) => {
  const sandbox = createSandbox({ signed: false });
  sandbox.fault({ ...EXECUTE, nth: 1, action: 'lost-after' });
  if (state) sandbox.fault({ subject: 'payment', state });
  const recorder = createRecorder({ fetch: sandbox.fetch, clock: sandbox.clock });
  const client = createClient({ ...sandbox.clientOptions, fetch: recorder.fetch });
  const journal = memoryStore();
  for (let n = 0; n < times; n++) {
    const order = { ...orderOf(sandbox, 'lnurl'), intent: `order-${n}` };
    await sandbox.run(pay(client, { ...order, journal }).result);
  }
  return { sandbox, recording: await sandbox.run(recorder.recording()) };
};

describe('matchers', () => {
  it('see one payment, none, one that came back, and two', async () => {
    for (const [times, state, pass] of [
      [1, undefined, true],
      [0, undefined, false],
      [1, 'FAILED', false],
      [2, undefined, false],
    ] as const) {
      const { sandbox } = await payTimes(times, state);
      const { pass: found, message } = matchers.toBePaidOnce(sandbox.ledger);
      expect(found, message()).to.equal(pass);
    }
    for (const end of ['FAILED', 'REVERSED', 'NEW']) {
      const posted = (why: string, entityId: string) => ({ why: `payment ${why}`, entityId });
      const back = [posted('PENDING', 'a'), posted('COMPLETED', 'a'), posted(end, 'a')];
      expect(matchers.toBePaidOnce({ postings: back }).pass, end).to.equal(false);
      const again = [...back, posted('PENDING', 'b')];
      expect(matchers.toBePaidOnce({ postings: again }).pass, end).to.equal(true);
    }
    const { sandbox } = await payTimes(2);
    expect(matchers.toBePaidOnce(sandbox.ledger).message()).to.match(/found 2: \S+, \S+$/);
    expect(matchers.toBePaidOnce(sandbox.ledger, 'payout').message()).to.include('found none');
  });

  it('see one command that was sent twice, and two commands', async () => {
    const once = matchers.toHaveSentOnce((await payTimes(1)).recording, /\/execute$/);
    expect(once.pass, once.message()).to.equal(true);
    const twice = matchers.toHaveSentOnce((await payTimes(2)).recording, /\/execute$/);
    expect(twice.pass).to.equal(false);
    expect(twice.message().match(/PATCH/g)).to.have.length(2);
    const { recording } = await payTimes(1);
    expect(matchers.toHaveSentOnce(recording, 'ada@wallet.example').pass).to.equal(true);
    expect(matchers.toHaveSentOnce(recording, 'nobody').message()).to.include('nothing');
    const bare = { method: 'DELETE', path: '/v1/subscriptions/1', sentAt: 0 };
    const read = { ...bare, method: 'GET' };
    const exchanges = [read, bare, bare];
    const removed = matchers.toHaveSentOnce({ ...recording, exchanges }, /subscriptions/);
    expect([removed.pass, removed.message()]).to.deep.equal([
      true,
      'expected exactly one command that matches /subscriptions/, found\n  DELETE /v1/subscriptions/1',
    ]);
    const keyed = { ...bare, idempotencyKey: 'k', body: '{}' };
    const both = matchers.toHaveSentOnce({ ...recording, exchanges: [bare, keyed] }, '/v1/');
    expect([both.pass, both.message().split('\n').slice(1)]).to.deep.equal([
      false,
      ['  DELETE /v1/subscriptions/1', '  DELETE /v1/subscriptions/1 k {}'],
    ]);
  });

  it('see what is settled, as a value and in a snapshot', () => {
    const paid = makeInvoice({ state: 'PAID' });
    expect(matchers.toBeSettled(paid).pass).to.equal(true);
    expect(matchers.toBeSettled({ value: paid }, 'PAID').pass).to.equal(true);
    expect(matchers.toBeSettled(paid, 'CANCELLED').message()).to.include('found PAID');
    expect(matchers.toBeSettled(makeInvoice()).pass).to.equal(false);
    expect(matchers.toBeSettled({}).pass).to.equal(false);
  });

  it('are methods of chai, and can be negated there', () => {
    chai.use(chaiMatchers);
    type Assert = { toBeSettled(state?: string): void; readonly not: Assert };
    const paid = expect(makeInvoice({ state: 'PAID' })) as unknown as Assert;
    paid.toBeSettled('PAID');
    paid.not.toBeSettled('CANCELLED');
    expect(() => paid.not.toBeSettled()).to.throw('did not expect');
  });
});
