// Protects: a search for money in doubt says what it has found, and takes nothing for it that is not.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { openDesk, unreachable } from './moves-desk.ts';
import { EUR, idOf, paymentsMoved } from './pay-lives.ts';
import { openTimed } from './timed-desk.ts';

const ADA = { to: 'ada@wallet.example', amount: EUR('20.00') };
const COMMON = { intent: 'a', sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;

/** Pays while the event feed refuses to be read: the end is unknown. */
async function payWithoutFeed(
  desk: ReturnType<typeof openTimed>,
  action: { readonly status: number; readonly code: string },
) {
  desk.sandbox.fault({ method: 'GET', path: '/v1/events', action });
  const run = await desk.begin('bolt11');
  const result = await desk.sandbox.run(run.result);
  if (result.phase !== 'unknown') throw new Error(result.phase);
  return result;
}

describe('a search for what is in doubt', () => {
  it('that cannot read everything is repeated each minute, five times, and proves nothing then', async () => {
    const desk = openTimed();
    await payWithoutFeed(desk, { status: 503, code: 'SERVICE_UNAVAILABLE' });
    const rounds = desk.looks.filter((at, index, all) => at - (all[index - 1] ?? 0) > 30);
    expect(rounds).to.have.length(5);
    const pauses = rounds.slice(1).map((at, index) => at - rounds[index]!);
    for (const pause of pauses) expect(pause).to.be.within(60, 70);
  });

  it('that would have to read more than 500 payments reads none of them, and proves nothing', async () => {
    let first = 0;
    const reads: string[] = [];
    const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, method, send) => {
      const { pathname, searchParams: query } = new URL(url);
      if (pathname.startsWith('/v1/payments/')) reads.push(pathname);
      if (url.endsWith('/execute') && method !== 'GET') {
        first ||= desk.sandbox.clock.now();
        const isOver = desk.sandbox.clock.now() - first > 63_000;
        return isOver ? makeErrorResponse('PAYMENT_QUOTE_EXPIRED') : unreachable();
      }
      if (pathname !== '/v1/events') return send();
      const [after = ''] = /(?<=created gt )[^ ]+(?!.*created gt)/.exec(query.get('$filter')!)!;
      const all = Array.from({ length: 600 }, (_, index) => ({
        id: `event-${index}`,
        eventType: 'payment.created',
        webhookVersion: 'v1',
        data: { entityId: `payment-${index}` },
        created: new Date(first + 100 * index).toISOString(),
      })).filter(({ created }) => Date.parse(created) > Date.parse(after));
      const skip = Number(query.get('$skip'));
      const items = all.slice(skip, skip + Number(query.get('$top')));
      return new Response(JSON.stringify({ items, count: all.length }));
    });
    const { sandbox, client, journal, sent } = desk;
    const to = sandbox.payer.createBolt11({ sat: '21000' });
    const run = pay(client, { ...COMMON, to, journal });
    const result = await sandbox.run(run.result);
    expect(result.phase === 'unknown' && result.candidates).to.deep.equal([]);
    expect([reads, sent('GET', '/events') > 5]).to.deep.equal([[], true]);
  });

  it('takes the payment that its quote names twice, whatever its terms read, and one named once for a candidate', async () => {
    for (const isTwice of [true, false]) {
      let named = 0;
      const desk = openDesk({}, async (url, _method, send) => {
        if (url.endsWith('/execute')) {
          const answer = await send();
          if (++named > 1) return isTwice ? answer : unreachable();
          return altered(answer, ({ paymentId }) => ({ paymentId, state: 'PENDING' }));
        }
        if (!url.includes('/v1/payments/')) return send();
        return altered(await send(), (one: object) => ({ ...one, totalAmount: EUR('90.00') }));
      });
      const { sandbox, client, journal } = desk;
      const result = await sandbox.run(pay(client, { ...COMMON, ...ADA, journal }).result);
      const moved = paymentsMoved(sandbox);
      expect(moved).to.have.length(1);
      if (isTwice) expect([result.phase, idOf(result)]).to.deep.equal(['paid', moved[0]]);
      else expect(result.phase === 'unknown' && result.candidates).to.deep.equal(moved);
    }
  });

  it('names what may be it: of a payment on the chain none of Lightning, and the other way round', async () => {
    for (const isOnchain of [true, false]) {
      const desk: ReturnType<typeof openDesk> = openDesk({}, async (url, _method, send) => {
        const answer = await send();
        return url.endsWith('/execute') ? unreachable() : answer;
      });
      const { sandbox, client, journal } = desk;
      const onchain = { to: sandbox.payer.createAddress(), onchainTierId: 'tier_fast' };
      const order = { ...ADA, ...(isOnchain && onchain) };
      const run = pay(client, { ...COMMON, ...order, journal });
      const result = await sandbox.run(run.result);
      const moved = paymentsMoved(sandbox);
      expect(moved).to.have.length(1);
      expect(result.phase === 'unknown' && result.candidates).to.deep.equal(moved);
    }
  });

  it('for which a scope is missing says which, at once', async () => {
    const desk = openTimed();
    const result = await payWithoutFeed(desk, { status: 403, code: 'FORBIDDEN' });
    expect(desk.looks).to.have.length(1);
    expect(result.error.neededScope).to.be.a('string');
  });

  it('takes nothing of other terms, nor what went by another way, nor what another intent has', async () => {
    const tried = new Set<string>();
    const desk = openDesk({}, async (url, _method, send) => {
      if (!url.endsWith('/execute')) return send();
      tried.add(url);
      return unreachable();
    });
    const { sandbox, client, journal, sent } = desk;
    const own = createClient(sandbox.clientOptions);
    const { result } = pay(client, { ...COMMON, ...ADA, journal });
    await sandbox.advance(500);
    const draft = { lnAddressOrUrl: ADA.to, sourceCurrency: 'EUR' };
    const other = await sandbox.run(
      own.paymentQuotes.createLnurl({ ...draft, amount: EUR('7.00') }),
    );
    await sandbox.run(own.paymentQuotes.execute(other.paymentQuoteId));
    const held = { ...COMMON, ...ADA, intent: 'other', journal };
    expect((await sandbox.run(pay(own, held).result)).phase).to.equal('paid');
    const end = await sandbox.run(result);
    // nothing of each number was found, three times, long after its end: it has moved nothing, and the next one follows
    expect([end.phase, end.phase === 'refused' && end.error.outcome]).to.deep.equal([
      'refused',
      'not-done',
    ]);
    expect(tried.size).to.be.within(2, 3);
    expect(sent('GET', '/events')).to.be.least(3 * tried.size);
    expect(paymentsMoved(sandbox)).to.have.length(2);
  });
});
