// Protects: an exchange is executed at most once, within its limits, and never said to be what it is not.
import { expect } from 'chai';
import { type ExchangeResult, resume } from 'paystate/flows';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { type Desk, openDesk, unreachable, type Wire } from './moves-desk.ts';

const EXECUTE = { method: 'PATCH', path: '/v1/currency-exchange-quotes/{quoteId}/execute' };
const HOUR = 3_600_000;
const USD = (amount: string) => ({ amount, currency: 'USD' });
const play = (desk: Desk, options = {}): Promise<ExchangeResult> =>
  desk.sandbox.run(desk.exchange(options).result);
const executed = (desk: Desk) => desk.sent('PATCH', '/execute');
/** Each quote is asked for twice: the second answer names its id again. */
const quoted = (desk: Desk) => desk.sent('POST', '/currency-exchange-quotes') / 2;
const guardOf = (result: ExchangeResult) =>
  result.phase === 'refused' ? [result.guard, result.error.outcome] : result.phase;

describe('an exchange', () => {
  it('is quoted, executed and followed to its end', async () => {
    const desk = openDesk();
    const run = desk.exchange();
    const phases = new Set<string>();
    run.subscribe(({ phase }) => void phases.add(phase));
    const result = await desk.sandbox.run(run.result);
    if (result.phase !== 'completed') throw new Error(result.phase);
    expect([...phases]).to.deep.equal(['new', 'executing', 'pending', 'completed']);
    expect(result.movement.state).to.equal('COMPLETED');
    expect(desk.moved('exchange')).to.deep.equal([result.movement.id]);
  });

  it('is held back where it brings too little, by minReceived or by the ticker', async () => {
    const less = (quote: object) => ({ ...quote, target: USD('90.00') });
    const cases = [
      ['received', { minReceived: USD('500.00') }, (quote: object) => quote],
      ['rate', {}, less],
    ] as const;
    for (const [guard, options, change] of cases) {
      const desk = openDesk({}, async (url, method, send) =>
        method === 'POST' && url.endsWith('quotes') ? altered(await send(), change) : send(),
      );
      expect(guardOf(await play(desk, options))).to.deep.equal([guard, 'not-done']);
      expect([executed(desk), desk.moved('exchange')]).to.deep.equal([0, []]);
    }
    const any = openDesk({}, async (url, method, send) =>
      method === 'POST' && url.endsWith('quotes') ? altered(await send(), less) : send(),
    );
    expect((await play(any, { maxRateSlip: 'any' })).phase).to.equal('completed');
    const loose = openDesk();
    expect((await play(loose, { minReceived: USD('1.00'), maxRateSlip: 'any' })).phase).to.equal(
      'completed',
    );
  });

  it('may bring exactly what was asked for, or what the ticker allows, and not a cent less', async () => {
    const pairs = [
      { sourceCurrency: 'EUR', targetCurrency: 'USD' },
      { sourceCurrency: 'USD', targetCurrency: 'EUR' },
    ];
    const priced = (cents: number, pair = pairs[0]): Wire => {
      const target = USD((cents / 100).toFixed(2));
      return async (url, method, send) => {
        if (method === 'POST' && url.endsWith('quotes'))
          return altered(await send(), (quote: object) => ({ ...quote, target, fee: undefined }));
        if (!url.endsWith('/rates/ticker')) return send();
        return altered(await send(), () => [{ amount: '1', ...pair }]);
      };
    };
    const unrated = { sourceCurrency: 'EUR', targetCurrency: 'CHF' };
    const blind = await play(openDesk({}, priced(9_900, unrated)));
    expect(guardOf(blind)).to.deep.equal(['rate', 'not-done']);
    for (const [cents, phase] of [
      [9_900, 'completed'],
      [9_899, 'refused'],
    ] as const) {
      for (const pair of pairs)
        expect((await play(openDesk({}, priced(cents, pair)))).phase).to.equal(phase);
      const options = { minReceived: USD('99.00'), maxRateSlip: 'any' } as const;
      expect((await play(openDesk({}, priced(cents)), options)).phase).to.equal(phase);
    }
  });

  it('is compared with the ticker whichever currency is sold', async () => {
    const desk = openDesk();
    desk.sandbox.fund('shop', USD('500.00'));
    const order = { sell: 'USD', buy: 'EUR', amount: USD('100.00') };
    expect((await play(desk, order)).phase).to.equal('completed');
  });

  it('is executed once where answers are lost, and read before it is executed again', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, nth: 1, action: 'lost-after' });
    expect((await play(desk)).phase).to.equal('completed');
    expect([executed(desk), quoted(desk), desk.moved('exchange').length]).to.deep.equal([1, 1, 1]);
    const other = openDesk();
    other.sandbox.fault({ ...EXECUTE, nth: [1, 2], action: 'lost-before' });
    expect((await play(other)).phase).to.equal('completed');
    expect([executed(other), quoted(other)]).to.deep.equal([3, 1]);
  });

  it('is refused where none of three quotes arrived, which three reads have to show a minute after each end', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    const began = desk.sandbox.clock.monotonic();
    const result = await play(desk);
    expect(guardOf(result)).to.deep.equal([undefined, 'not-done']);
    expect(desk.sandbox.clock.monotonic() - began).to.be.above(3 * 105_000);
    expect(desk.moved('exchange')).to.deep.equal([]);
    expect(quoted(desk)).to.equal(3);
  });

  it('is not refused beside a read of old data: it was executed', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...EXECUTE, action: 'lost-after' });
    desk.sandbox.fault({ method: 'GET', action: { stale: 25_000 } });
    expect((await play(desk)).phase).to.equal('completed');
    expect(desk.moved('exchange')).to.have.length(1);
  });

  it('is never sent when its quote has ended, and another round asks for another quote at once', async () => {
    const left: number[] = [];
    let endsAt = NaN;
    const desk: Desk = openDesk({}, async (url, method, send) => {
      if (method === 'PATCH') left.push(endsAt - desk.sandbox.clock.now());
      const response = await send();
      if (method !== 'POST' || !url.endsWith('-quotes') || !response.ok) return response;
      return altered(response, (quote: { validUntil: string }) => {
        endsAt = Date.parse(quote.validUntil);
        return quote;
      });
    });
    const end = desk.sandbox.fault({ ...EXECUTE, action: 'lost-before' });
    const run = desk.exchange();
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    expect(left.length).to.be.above(9);
    expect(Math.min(...left)).to.be.above(1_900);
    end();
    const began = desk.sandbox.clock.monotonic();
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect(desk.sandbox.clock.monotonic() - began).to.be.below(10_000);
    expect([quoted(desk), desk.moved('exchange').length]).to.deep.equal([4, 1]);
  });

  it('of another amount, currency or fee policy is never taken for the one that was made', async () => {
    const desk = openDesk();
    expect((await play(desk)).phase).to.equal('completed');
    for (const other of [
      { amount: { amount: '50.00', currency: 'EUR' } },
      { amount: USD('100.00') },
      { amount: { amount: '100.00', currency: 'EUR', feePolicy: 'INCLUSIVE' } },
      { sell: 'USD', buy: 'EUR' },
    ] as const) {
      const result = await play(desk, other);
      expect(result.phase === 'refused' && result.error.message).to.match(/belongs to another/);
    }
    expect([quoted(desk), desk.moved('exchange').length]).to.deep.equal([1, 1]);
  });

  it('is unknown where nothing can be read for a day, and resume finds out', async () => {
    for (const [action, end] of [
      ['lost-after', 'completed'],
      ['lost-before', 'refused'],
    ] as const) {
      let away: 'not yet' | 'now' | 'no more' = 'not yet';
      const desk = openDesk({}, (_url, method, send) => {
        if (method === 'PATCH' && away === 'not yet') away = 'now';
        return away === 'now' && method === 'GET' ? unreachable() : send();
      });
      desk.sandbox.fault({ ...EXECUTE, action });
      const run = desk.exchange();
      await desk.sandbox.advance(23 * HOUR);
      expect(run.current().phase).to.equal('unconfirmed');
      await desk.sandbox.advance(2 * HOUR);
      expect((await run.result).phase).to.equal('unknown');
      away = 'no more';
      const [open] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
      expect((await desk.sandbox.run(open!.result)).phase).to.equal(end);
      expect(desk.moved('exchange')).to.have.length(end === 'completed' ? 1 : 0);
    }
  });

  it('has another quote by itself where the first one ended unused', async () => {
    const desk = openDesk();
    const action = { status: 422, code: 'CURRENCY_EXCHANGE_QUOTE_EXPIRED' };
    desk.sandbox.fault({ ...EXECUTE, nth: 1, action });
    expect((await play(desk)).phase).to.equal('completed');
    expect([quoted(desk), desk.moved('exchange').length]).to.deep.equal([2, 1]);
  });

  it('that was refused is not begun anew before its quote has ended, unseen by a late copy', async () => {
    let isFirst = true;
    const desk = openDesk({}, async (_url, method, send) => {
      if (method !== 'PATCH' || !isFirst) return send();
      isFirst = false;
      void desk.sandbox.clock.wait(20_000).then(send);
      const body = { data: { status: 422, code: 'BALANCE_TOO_LOW', message: '' } };
      return new Response(JSON.stringify(body), { status: 422 });
    });
    const run = desk.exchange();
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect([quoted(desk), desk.moved('exchange').length]).to.deep.equal([1, 1]);
  });

  it('that the world ends badly has failed, and may be tried again', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'currencyExchangeQuote', state: 'FAILED', delay: 0, nth: 1 });
    const run = desk.exchange();
    expect((await desk.sandbox.run(run.result)).phase).to.equal('failed');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect(desk.moved('exchange')).to.have.length(1);
  });

  it('has an intent that no payout can take, and throws for what cannot be right', async () => {
    const desk = openDesk();
    await play(desk);
    const other = await desk.sandbox.run(desk.payOut('some-method').result);
    expect(other.phase === 'refused' && other.error.message).to.match(/belongs to another/);
    const wrong = [
      [{ buy: 'EUR' }, /^buy: /],
      [{ amount: USD('nine') }, /amount/],
      [{ amount: { amount: '1', currency: 'GBP' } }, /^amount.currency: /],
      [{ minReceived: { amount: '1', currency: 'EUR' } }, /^minReceived: /],
      [{ intent: '' }, /^intent: /],
    ] as const;
    for (const [options, message] of wrong) expect(() => desk.exchange(options)).to.throw(message);
  });
});
