// Protects: what the service answers to a request may be about another one. Money never moves by another intent's terms, nor
// by what another program has prepared, and a payment that is disproved is never called paid.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { exchange, pay, type PaymentOptions, payOut, resume } from 'paystate/flows';
import { addMoney, type Money } from 'paystate/money';
import { memoryStore } from 'paystate/stores';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { openDesk, type Wire } from './moves-desk.ts';
import { EUR, idOf, orderOf, paymentsMoved } from './pay-lives.ts';

const MINUTE = 60_000;
const LIMITS = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
const ADA = { to: 'ada@wallet.example', amount: EUR('20.00'), ...LIMITS } as const;

/** A desk whose answers can be kept, changed and swapped. */
const openForeign = () => {
  let wire: Wire = (_url, _method, send) => send();
  const desk = openDesk({}, (url, method, send) => wire(url, method, send));
  return {
    ...desk,
    /** From now on. */
    hear: (next: Wire) => void (wire = next),
    quietly: () => void (wire = (_url, _method, send) => send()),
    start: (options: Partial<PaymentOptions>) =>
      pay(desk.client, { to: '', ...LIMITS, journal: desk.journal, ...options }),
  };
};

type Change = (json: object) => object;

/** No clone: browsers read a copy in real time. */
const read = async (answer: Promise<Response>) => {
  const given = await answer;
  return { status: given.status, headers: given.headers, text: await given.text() };
};

/**
 * The next answer to such a request is kept. Call what this returns, and the next requests are answered with it, changed,
 * and do not arrive.
 */
const swapOnce = (
  desk: ReturnType<typeof openForeign>,
  end: string,
  change: Change = (json) => json,
) => {
  let kept: string | undefined;
  let left = 0;
  desk.hear(async (url, method, send) => {
    if (method === 'GET' || !url.endsWith(end)) return send();
    if (left > 0) {
      left--;
      const date = new Date(desk.sandbox.clock.now()).toUTCString();
      return new Response(JSON.stringify(change(JSON.parse(kept!) as object)), {
        headers: { date },
      });
    }
    const { status, headers, text } = await read(send());
    kept ??= text;
    return new Response(text, { status, headers });
  });
  return (times: number = 1) => {
    expect(kept).to.be.a('string');
    left = times;
    return () => expect(left).to.equal(0);
  };
};

const inUpperCase: Change = (json) =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      /id$/i.test(name) ? String(value).toUpperCase() : (value as unknown),
    ]),
  );

describe('terms that another intent was given', () => {
  for (const [spelled, change] of [
    ['as they are', undefined],
    ['in upper case', inUpperCase],
  ] as const)
    it(`are not executed: of a payment, ${spelled}`, async () => {
      for (const times of [1, 2]) {
        const desk = openForeign();
        const swap = swapOnce(desk, '/lnurl', change);
        const first = await desk.sandbox.run(desk.start({ ...ADA, intent: 'a' }).result);
        const check = swap(times);
        const second = await desk.sandbox.run(desk.start({ ...ADA, intent: 'b' }).result);
        check();
        expect([times, first.phase, second.phase]).to.deep.equal([times, 'paid', 'paid']);
        expect([idOf(first), idOf(second)]).to.deep.equal(paymentsMoved(desk.sandbox));
      }
    });

  it('are not executed: of an exchange', async () => {
    for (const times of [1, 2]) {
      const desk = openForeign();
      const swap = swapOnce(desk, '/currency-exchange-quotes');
      const first = await desk.sandbox.run(desk.exchange().result);
      const check = swap(times);
      const second = await desk.sandbox.run(desk.exchange({ intent: 'b' }).result);
      check();
      expect([times, first.phase, second.phase]).to.deep.equal([times, 'completed', 'completed']);
      expect([idOf(first), idOf(second)]).to.deep.equal(desk.moved('exchange'));
    }
  });

  it('are refused in the end, where the service has nothing else to say', async () => {
    const desk = openForeign();
    let quote: string | undefined;
    desk.hear(async (url, _method, send) => {
      if (!url.endsWith('/lnurl')) return send();
      quote ??= await (await send()).text();
      return new Response(quote);
    });
    await desk.sandbox.run(desk.start({ ...ADA, intent: 'a' }).result);
    const result = await desk.sandbox.run(desk.start({ ...ADA, intent: 'b' }).result);
    expect(result.phase === 'refused' && [result.error.code, result.error.outcome]).to.deep.equal([
      'RESPONSE_MISMATCH',
      'not-done',
    ]);
    expect(paymentsMoved(desk.sandbox)).to.have.length(1);
  });

  it('of another amount are not executed: of an exchange', async () => {
    const desk = openForeign();
    const swap = swapOnce(desk, '/currency-exchange-quotes');
    const amount = { amount: '700.00', currency: 'EUR' };
    await desk.sandbox.run(
      desk.client.currencyExchangeQuotes.create({ sell: 'EUR', buy: 'USD', amount }),
    );
    swap();
    const { phase } = await desk.sandbox.run(
      exchange(desk.client, {
        intent: 'a',
        sell: 'EUR',
        buy: 'USD',
        amount: { amount: '100.00', currency: 'EUR' },
        journal: desk.journal,
      }).result,
    );
    expect([phase, desk.moved('exchange').length]).to.deep.equal(['completed', 1]);
    const books = desk.sandbox.ledger.balances()['shop.free']!;
    expect(Number(books['EUR'])).to.be.greaterThan(9_000);
  });
});

describe('a payment of an earlier round', () => {
  it('is not the one of this round, whoever names it', async () => {
    const desk = openForeign();
    desk.sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 0, nth: 1 });
    const swap = swapOnce(desk, '/execute');
    const run = desk.start({ ...ADA, intent: 'a' });
    expect((await desk.sandbox.run(run.result)).phase).to.equal('failed');
    const check = swap(2);
    const end = await desk.sandbox.run(run.retry().result);
    check();
    expect([end.phase, [idOf(end)]]).to.deep.equal(['paid', paymentsMoved(desk.sandbox)]);
  });
});

describe('a payment whose total is a cent from its quote', () => {
  const cent: Change = (json) => {
    const { totalAmount } = json as { readonly totalAmount?: Money };
    return { ...json, ...(totalAmount && { totalAmount: addMoney(totalAmount, EUR('0.01')) }) };
  };

  for (const rail of ['bolt11', 'lnurl', 'onchain'] as const)
    it(`is this one, at once: ${rail}`, async () => {
      const desk = openForeign();
      desk.hear(async (url, _method, send) =>
        url.endsWith('/execute') || url.includes('/v1/payments/')
          ? altered(await send(), cent)
          : send(),
      );
      const began = desk.sandbox.clock.monotonic();
      const result = await desk.sandbox.run(desk.start(orderOf(desk.sandbox, rail)).result);
      // without a preimage its id is asked for once more, under the same quote
      const executions = rail === 'bolt11' ? 1 : 2;
      expect([result.phase, desk.sent('PATCH', '/execute')]).to.deep.equal(['paid', executions]);
      expect([idOf(result)]).to.deep.equal(paymentsMoved(desk.sandbox));
      if (result.phase !== 'paid') throw new Error(result.phase);
      // the figure is told beside it
      const { totalAmount: found } = result.payment;
      const agreed = addMoney(found, EUR('-0.01'));
      expect(result.drift).to.deep.equal([{ field: 'totalAmount', agreed, found }]);
      const longest = rail === 'onchain' ? 11 * MINUTE : MINUTE; // blocks take their time
      expect(desk.sandbox.clock.monotonic() - began).to.be.below(longest);
    });

  it('is another one where it is further away: it is read, and the quote executed again', async () => {
    const desk = openForeign();
    const other = await desk.sandbox.run(
      pay(desk.client, { ...ADA, intent: 'b', amount: EUR('20.05'), journal: memoryStore() })
        .result,
    );
    let isSwapped = false;
    desk.hear(async (url, _method, send) => {
      if (!url.endsWith('/execute') || isSwapped) return send();
      isSwapped = true; // the request has never arrived
      return Response.json(other.phase === 'paid' && other.payment);
    });
    const result = await desk.sandbox.run(desk.start({ ...ADA, intent: 'a' }).result);
    expect(result.phase === 'paid' && result.payment.paymentId).to.equal(
      paymentsMoved(desk.sandbox)[1],
    );
  });
});

describe('a preimage that disproves', () => {
  const disproved = async (answer: Response) =>
    altered(answer, (payment: object) => ({
      ...payment,
      lightning: { preImage: '11'.repeat(32) },
    }));

  it('of another payment: the same quote is executed again, and its own payment is found', async () => {
    const desk = openForeign();
    const other = await desk.sandbox.run(
      desk.start({ to: desk.sandbox.payer.createBolt11({ sat: '21000' }) }).result,
    );
    if (other.phase !== 'paid') throw new Error(other.phase);
    let isSwapped = false;
    desk.hear(async (url, _method, send) => {
      if (!url.endsWith('/execute') || isSwapped) return send();
      isSwapped = true; // the request has never arrived
      return disproved(
        new Response(JSON.stringify({ ...other.payment, paymentId: 'another-one' })),
      );
    });
    const to = desk.sandbox.payer.createBolt11({ sat: '21000' });
    const result = await desk.sandbox.run(desk.start({ to }).result);
    expect(result.phase === 'paid' && [result.proof, result.payment.paymentId]).to.deep.equal([
      'ok',
      paymentsMoved(desk.sandbox)[1],
    ]);
  });

  it('of what was named: unknown with the reason, until it reads otherwise', async () => {
    const desk = openForeign();
    desk.hear(async (url, _method, send) =>
      url.endsWith('/execute') || url.includes('/v1/payments/') ? disproved(await send()) : send(),
    );
    const to = desk.sandbox.payer.createBolt11({ sat: '21000' });
    const result = await desk.sandbox.run(desk.start({ to, intent: 'a' }).result);
    const [paymentId] = paymentsMoved(desk.sandbox);
    expect(result.phase === 'unknown' && result.candidates).to.deep.equal([paymentId]);
    expect(result.phase === 'unknown' && result.error.message).to.match(/preimage .* resolve\(\)/);
    desk.quietly();
    const other = createClient({ ...desk.sandbox.clientOptions, fetch: desk.fetch });
    const [run] = await resume(other, { journal: desk.journal });
    const end = await desk.sandbox.run(run!.result);
    expect(end.phase === 'paid' && 'proof' in end && end.proof).to.equal('ok');
  });

  it('gives way to the word of a person who has looked', async () => {
    const desk = openForeign();
    desk.hear(async (url, _method, send) =>
      url.endsWith('/execute') || url.includes('/v1/payments/') ? disproved(await send()) : send(),
    );
    const to = desk.sandbox.payer.createBolt11({ sat: '21000' });
    await desk.sandbox.run(desk.start({ to, intent: 'a' }).result);
    const run = desk.start({ to, intent: 'a' });
    await desk.sandbox.run(run.result);
    await desk.sandbox.run(run.resolve('paid', paymentsMoved(desk.sandbox)[0]!));
    const end = await desk.sandbox.run(desk.start({ to, intent: 'a' }).result);
    expect(end.phase === 'paid' && end.proof).to.equal('bad');
  });
});

describe('a payout that another program has prepared', () => {
  const SALARY = { amount: '250.00', reference: 'SALARY' } as const;

  for (const [name, other, pause] of [
    ['for another statement', { ...SALARY, reference: 'RENT' }, 0],
    ['of another amount', { ...SALARY, amount: '251.00' }, 0],
    ['of the same terms, some minutes ago', SALARY, 180_000],
  ] as const)
    it(`is never initiated: ${name}`, async () => {
      const desk = openForeign();
      const paymentMethodId = await desk.method();
      const swap = swapOnce(desk, '/payouts');
      const { id } = await desk.sandbox.run(
        desk.client.payouts.create({ paymentMethodId, ...other }),
      );
      swap();
      await desk.sandbox.advance(pause);
      const result = await desk.sandbox.run(desk.payOut(paymentMethodId).result);
      const mine = result.phase === 'completed' && result.movement;
      expect(mine && [mine.amount.amount, mine.reference]).to.deep.equal(['250.00', 'SALARY']);
      expect(desk.moved('payout')).to.deep.equal([mine && mine.id]);
      expect((await desk.sandbox.run(desk.client.payouts.get(id))).state).to.equal('NEW');
    });

  it('is never initiated where all of our own are lost', async () => {
    const desk = openForeign();
    const paymentMethodId = await desk.method();
    await desk.sandbox.run(desk.client.payouts.create({ paymentMethodId, ...SALARY }));
    desk.sandbox.fault({ method: 'POST', path: '/v1/payouts', action: 'lost-before' });
    const result = await desk.sandbox.run(
      payOut(desk.client, {
        intent: 'a',
        bankPaymentMethodId: paymentMethodId,
        ...SALARY,
        maxFee: 'any',
        journal: memoryStore(),
      }).result,
    );
    expect([result.phase, desk.moved('payout')]).to.deep.equal(['refused', []]);
  });
});

describe('a deposit that another request has made', () => {
  it('is not this one: the same key is asked again', async () => {
    const desk = openForeign();
    const id = await desk.method();
    const swap = swapOnce(desk, '/deposits');
    const first = await desk.sandbox.run(desk.deposit(id).result);
    swap();
    const second = await desk.sandbox.run(desk.deposit(id, { intent: 'b' }).result);
    expect([first.phase, second.phase]).to.deep.equal(['completed', 'completed']);
    const ids = [first, second].map((one) => one.phase === 'completed' && one.movement.id);
    expect(new Set(ids).size).to.equal(2);
    expect(desk.moved('deposit')).to.have.length(2);
  });
});

describe('a page of somebody else with status 200', () => {
  it('does not teach that "processed" is checked before "expired", so nothing is paid twice', async () => {
    const sent: string[] = [];
    let lostUntil = 0;
    let pages = 0;
    const desk = openDesk({ assume: { 'payments.checks': 'expired' } }, async (url, _, send) => {
      if (!url.endsWith('/execute')) return send();
      sent.push(url);
      // the ended quote of the first payment is sent once more to find out the order
      if (lostUntil > 0 && url === sent[0]) return new Response(`<p>Page ${++pages}</p>`);
      const isLost = desk.sandbox.clock.now() < lostUntil;
      const answer = await send();
      if (isLost) throw new TypeError('lost');
      return answer;
    });
    const { sandbox, client, journal } = desk;
    const start = (intent: string) => sandbox.run(pay(client, { ...ADA, intent, journal }).result);
    expect((await start('a')).phase).to.equal('paid');
    lostUntil = sandbox.clock.now() + MINUTE;
    const second = await start('b');
    expect([second.phase, pages > 0]).to.deep.equal(['unknown', true]);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });
});
