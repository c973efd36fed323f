// Protects: what plain JavaScript can give is refused by an error that names the argument, before anything is sent.
import { expect } from 'chai';
import { createClient, InputError } from 'paystate';
import {
  applyPlan,
  cancelInvoice,
  deposit,
  exchange,
  pay,
  payOut,
  plan,
  refund,
  resume,
} from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';

const sandbox = createSandbox({ signed: false });
const client = createClient(sandbox.clientOptions);
const journal = memoryStore();
const EUR = { amount: '1.00', currency: 'EUR' };
const payment = { intent: 'a', to: 'ada@wallet.example', sourceCurrency: 'EUR', amount: EUR };
const bank = { intent: 'a', bankPaymentMethodId: 'b', amount: '1.00', maxFee: 'any' };
const trade = { intent: 'a', sell: 'EUR', buy: 'USD', amount: EUR };

/** Every function that moves money, and options that it takes. */
const movers: Readonly<Record<string, readonly [(...given: never[]) => unknown, object]>> = {
  pay: [pay, { ...payment, maxFee: 'any', journal }],
  refund: [refund, { ...payment, maxFee: 'any', invoiceId: 'c', journal }],
  exchange: [exchange, { ...trade, journal }],
  payOut: [payOut, { ...bank, journal }],
  deposit: [deposit, { ...bank, journal }],
};

/** What was thrown, or what a promise was rejected with. */
const thrownBy = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
  } catch (thrown) {
    return thrown;
  }
  return 'nothing was thrown';
};

const NOTHING = [undefined, null, 7, 'text', true, [], {}, Symbol('a'), 1n, () => {}];
/** Members that may be absent. */
const OPTIONAL =
  /^(amount|feePolicy|maxTotal|maxRateSlip|minReceived|description|beneficiary|onchainTierId|signal|reference|originatorId|readyTimeout)$/;

describe('what moves money', () => {
  for (const [name, [move]] of Object.entries(movers))
    it(`names the argument that is missing: ${name}`, async () => {
      const call = move as (...given: unknown[]) => unknown;
      for (const options of [undefined, null, 7, 'text'])
        expect((await thrownBy(() => call(client, options))) as Error)
          .to.be.instanceOf(InputError)
          .with.property('message')
          .that.matches(/^options: /);
      for (const wrong of [undefined, null, {}, 7])
        expect((await thrownBy(() => call(wrong, { journal }))) as Error)
          .to.be.instanceOf(InputError)
          .with.property('message')
          .that.matches(/^client: /);
    });

  for (const [name, [move, right]] of Object.entries(movers))
    it(`throws nothing but InputError, whatever its members are: ${name}`, async () => {
      const call = move as (...given: unknown[]) => unknown;
      const before = sandbox.log.length;
      const others = { maxTotal: 0, maxRateSlip: 0, minReceived: 0, signal: 0 };
      const texts = { description: 0, onchainTierId: 0, reference: 0, originatorId: 0 };
      const members = Object.keys({ ...right, ...others, ...texts, feePolicy: 0, beneficiary: 0 });
      const known = new Set<string>();
      for (const member of members)
        for (const value of NOTHING) {
          if (value === undefined && OPTIONAL.test(member)) continue;
          const detach = new AbortController();
          const thrown = await thrownBy(() => {
            const made = call(client, { ...right, [member]: value }) as { detach?(): void };
            made.detach?.();
          });
          detach.abort();
          if (thrown === 'nothing was thrown') continue;
          known.add(member);
          expect(thrown, `${member} ${String(value)}: ${(thrown as Error).stack}`).to.be.instanceOf(
            InputError,
          );
        }
      expect([...known]).to.include.members(['journal', 'amount', 'intent', 'signal']);
      expect(sandbox.log.length).to.equal(before);
    });

  it('names the limit on fees where it is missing: none at all has to be written out', () => {
    const { maxFee: _, ...unlimited } = bank;
    for (const call of [
      () => pay(client, { ...payment, journal } as never),
      () => payOut(client, { ...unlimited, journal } as never),
    ])
      expect(call).to.throw(InputError, "maxFee: is required; write 'any' for no limit");
  });

  it('says of plans, restarts and cancelling what is wrong with what they were given', async () => {
    const calls: Readonly<Record<string, (options: never) => unknown>> = {
      plan: (options) => plan(client, [payment as never], options),
      applyPlan: (options) => applyPlan(client, {} as never, options),
      resume: (options) => resume(client, options),
    };
    for (const [name, call] of Object.entries(calls))
      for (const options of [undefined, null, 7])
        expect((await thrownBy(() => call(options as never))) as Error, name)
          .to.be.instanceOf(InputError)
          .with.property('message')
          .that.matches(/^options: /);
    const { problems } = await plan(client, [null as never], { journal, maxFee: 'any' });
    expect(problems.map(({ row, code }) => [row, code])).to.deep.equal([[1, 'INPUT_INVALID']]);
    for (const id of [undefined, null, 7, ''])
      expect(await thrownBy(() => cancelInvoice(client, id as never))).to.be.instanceOf(InputError);
  });

  it('asks for exactly one of the two ids of a refund', async () => {
    for (const ids of [{}, { invoiceId: 'a', receiveId: 'b' }, { invoiceId: '' }])
      expect(() => refund(client, { ...payment, maxFee: 'any', journal, ...ids })).to.throw(
        InputError,
        'exactly one of invoiceId and receiveId',
      );
  });
});
