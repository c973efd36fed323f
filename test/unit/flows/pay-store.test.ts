// Protects: a journal that fails, is written by others or comes from an earlier version; what fails beside the service.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createGuards, deposit, pay, payOut, refund } from 'paystate/flows';
import type { Store } from 'paystate/stores';
import { describe, it } from '#test';
import { withReports } from '../state/reports.ts';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const MINUTE = 60_000;
const ADA = { to: 'ada@wallet.example', sourceCurrency: 'EUR', maxFee: 'any' } as const;

describe('a journal', () => {
  it('that fails is asked nine times within a minute, and then nobody knows', async () => {
    const { sandbox, client, journal } = openDesk();
    const times: number[] = [];
    const began = sandbox.clock.monotonic();
    const broken: Store = {
      ...journal,
      get() {
        times.push((sandbox.clock.monotonic() - began) / 1_000);
        return Promise.reject(new Error('disk gone'));
      },
    };
    await withReports(async (reports) => {
      const run = pay(client, { ...ADA, intent: 'a', amount: EUR('20.00'), journal: broken });
      const result = await sandbox.run(run.result);
      if (result.phase !== 'unknown') throw new Error(result.phase);
      expect(result.error.message).to.match(
        /the journal failed; repair the store, then call resume/,
      );
      expect(reports).to.deep.equal([]);
    });
    expect(times).to.deep.equal([0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 31.75, 61.75]);
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });

  it('that never answers is given up within two minutes, also where it is stopped or aborted', async () => {
    const { sandbox, journal } = openDesk();
    // the way to the journal takes time of this clock
    const clock = { ...sandbox.clock, external: <T>(work: Promise<T>) => work };
    const client = createClient({ ...sandbox.clientOptions, clock });
    const never = new Promise<never>(() => {});
    for (const member of ['get', 'compareAndSet'] as const) {
      const deaf: Store = { ...journal, [member]: () => never };
      const abort = new AbortController();
      const began = sandbox.clock.monotonic();
      const order = { ...ADA, intent: `no ${member}`, amount: EUR('20.00'), journal: deaf };
      const run = pay(client, { ...order, signal: abort.signal });
      abort.abort();
      const stopped = run.stop();
      const result = await sandbox.run(run.result);
      if (result.phase !== 'unknown') throw new Error(result.phase);
      expect(result.error.message).to.match(/the journal failed \(TIMEOUT\)|the run was detached/);
      expect(await stopped).to.equal(false);
      expect(sandbox.clock.monotonic() - began).to.be.below(120_001);
    }
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });

  it('that others write all the time is waited for, more and more slowly, for a minute, and nothing is sent', async () => {
    const { sandbox, client, journal, sent } = openDesk();
    await createGuards({ journal, maxPerDay: EUR('50.00') });
    let attempts = 0;
    let [intent, prefix] = ['', ''];
    const busy: Store = {
      ...journal,
      async compareAndSet(key, version, value, open) {
        if (!key.startsWith(prefix)) return journal.compareAndSet(key, version, value, open);
        if (version === 0 && key === `pay/${intent}`)
          return journal.compareAndSet(key, version, value, open);
        attempts++;
        return false;
      },
    };
    for ([intent, prefix] of [
      ['a', 'pay/'],
      ['b', 'pay-day/'],
    ] as const) {
      attempts = 0;
      const began = sandbox.clock.monotonic();
      const order = { ...ADA, amount: EUR('20.00'), journal: busy };
      const result = await sandbox.run(pay(client, { ...order, intent }).result);
      if (!('error' in result)) throw new Error(result.phase);
      const { phase, error } = result;
      // with a row of its own nobody knows what the others do; without a reservation nothing is sent
      expect([prefix, phase, error.outcome]).to.deep.equal(
        prefix === 'pay/' ? ['pay/', 'unknown', 'unknown'] : ['pay-day/', 'refused', 'not-done'],
      );
      expect(error.message).to.match(
        /keep changing (the same row|the reservations of this journal)/,
      );
      expect(attempts).to.be.within(60, 200);
      expect(sandbox.clock.monotonic() - began).to.be.within(60_000, 65_000);
      expect(sent('PATCH', '/execute')).to.equal(0);
    }
  });

  it('is written where something has changed, and not for each look', async () => {
    const { sandbox, client, journal } = openDesk();
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: 30 * MINUTE });
    let writes = 0;
    const counted: Store = {
      ...journal,
      compareAndSet: (...given) => (writes++, journal.compareAndSet(...given)),
    };
    const order = { ...ADA, intent: 'a', amount: EUR('20.00'), journal: counted };
    const run = pay(client, order);
    await sandbox.advance(MINUTE);
    expect(run.current().phase).to.equal('pending');
    writes = 0;
    await sandbox.advance(10 * MINUTE);
    expect(writes).to.equal(0);
    expect((await sandbox.run(run.result)).phase).to.equal('paid');
    writes = 0;
    expect((await sandbox.run(pay(client, order).result)).phase).to.equal('paid');
    expect(writes).to.equal(0);
  });
});

describe('what fails beside the service', () => {
  it('is reported, and ends a payment as one of which nobody knows', async () => {
    const { sandbox, journal } = openDesk();
    let read = () => sandbox.clock.now();
    const clock = { ...sandbox.clock, now: () => read() };
    const client = createClient({ ...sandbox.clientOptions, clock });
    await withReports(async (reports) => {
      const run = pay(client, { ...ADA, intent: 'a', amount: EUR('20.00'), journal });
      read = () => {
        throw new Error('no clock');
      };
      expect((await sandbox.run(run.result)).phase).to.equal('unknown');
      expect(reports.map(String)).to.deep.equal(['Error: no clock']);
    });
    expect(paymentsMoved(sandbox)).to.deep.equal([]);
  });
});

describe('the journal', () => {
  it('names each order as earlier versions did: a later one goes on with what they have begun', async () => {
    const desk = openDesk();
    const { client, journal } = desk;
    const bank = { bankPaymentMethodId: 'b', amount: '7.50', maxFee: 'any', journal } as const;
    const options = { sourceCurrency: 'EUR', maxFee: 'any', amount: EUR('7.50'), journal } as const;
    const to = 'ada@wallet.example';
    pay(client, { ...options, intent: 'address', to, description: 'thanks' });
    refund(client, { ...options, intent: 'refund', to, invoiceId: 'c' });
    desk.exchange({ intent: 'exchange', amount: EUR('7.50') });
    payOut(client, { ...bank, intent: 'payout', reference: 'RENT', originatorId: 'o' });
    deposit(client, { ...bank, intent: 'deposit', feePolicy: 'INCLUSIVE' });
    await desk.sandbox.advance(100);
    const prints: Record<string, string> = {};
    for (const intent of ['address', 'refund', 'exchange', 'payout', 'deposit']) {
      const { value } = (await journal.get(`pay/${intent}`))!;
      prints[intent] = (value as { readonly fingerprint: string }).fingerprint;
    }
    expect(prints).to.deep.equal({
      address: '04924ae7e885372b100f1ca710dd7bbb87fc6631498c75de76ba9cd0114565e6',
      refund: '99780393caee70ac8269b2d6a1c16c7f9f33d7fe54b17601f1905c7e134e522f',
      exchange: '2d32729f5c922d1772152580fdcd9893e7bbd3f7e80d0ae8172fb666f7c17ce3',
      payout: '34676b992b89f4e8131319e055855daed5f97816c0e0b3e1f0c2e0f2bf063bdb',
      deposit: 'cbf4bda25b6d4916667bcbf3ee50b3bbe56884f4dbb996deda3d18950338a239',
    });
  });
});
