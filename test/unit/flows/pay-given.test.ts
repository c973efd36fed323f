// Protects: what can be pasted is paid as it says: links, thousandths of a satoshi, texts that expire, and addresses that take
// exactly so much.
import { expect } from 'chai';
import { pay, type PaymentOptions } from 'paystate/flows';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { openDesk, type Wire } from './moves-desk.ts';
import { paymentsMoved } from './pay-lives.ts';

const BTC = (amount: string) => ({ amount, currency: 'BTC' });

/** Pays from bitcoin. */
const openPayer = (wire?: Wire) => {
  const desk = openDesk({}, wire);
  const { sandbox, client, journal } = desk;
  sandbox.fund('shop', BTC('1'));
  const limits = { sourceCurrency: 'BTC', maxFee: 'any', maxTotal: 'any' } as const;
  const common = { ...limits, intent: 'a', journal };
  const play = (options: Pick<PaymentOptions, 'to'> & Partial<PaymentOptions>) =>
    sandbox.run(pay(client, { ...common, ...options }).result);
  return { ...desk, payer: sandbox.payer, play };
};

type Payer = ReturnType<typeof openPayer>;

describe('a payment', () => {
  it('of a link is to its address, and what the link asks for', async () => {
    const { payer, play } = openPayer();
    const to = `bitcoin:${payer.createAddress()}?amount=0.00100000`;
    const result = await play({ to, onchainTierId: 'tier_fast' });
    if (result.phase !== 'paid') throw new Error(result.phase);
    expect(Number(result.payment.amount.amount)).to.equal(0.001);
  });

  it('of thousandths of a satoshi is of the whole one that is paid for them', async () => {
    const { payer, play } = openPayer();
    const to = payer.createBolt11({ msat: '21000500' });
    expect((await play({ to })).phase).to.equal('paid');
  });

  it('may be exactly what its address takes at least, or at most', async () => {
    for (const bound of ['minSendable', 'maxSendable']) {
      const { play } = openPayer(async (url, _method, send) =>
        url.endsWith('wallet.example')
          ? altered(await send(), (details: object) => ({ ...details, [bound]: 20_000_000 }))
          : send(),
      );
      const result = await play({ to: 'ada@wallet.example', amount: BTC('0.00020000') });
      expect(result.phase, bound).to.equal('paid');
    }
  });

  it('is within bounds that are fractions or greater than any amount, and never without a range', async () => {
    const table = [
      [{ maxSendable: 499_999_999.9 }, 'paid'],
      [{ maxSendable: 1e21 }, 'paid'],
      [{ minSendable: 1_000.5 }, 'paid'],
      [{ minSendable: 20_000_000.5 }, 'range'],
      [{ maxSendable: 19_999_999.9 }, 'range'],
      [{ minSendable: 2e9, maxSendable: 1e6 }, 'range'],
      [{ minSendable: 1e21 }, 'range'],
    ] as const;
    for (const [bounds, wanted] of table) {
      const { play } = openPayer(async (url, _method, send) =>
        url.endsWith('wallet.example')
          ? altered(await send(), (details: object) => ({ ...details, ...bounds }))
          : send(),
      );
      const result = await play({ to: 'ada@wallet.example', amount: BTC('0.00020000') });
      const found = result.phase === 'refused' ? result.guard : result.phase;
      expect(found, JSON.stringify(bounds)).to.equal(wanted);
    }
  });

  it('of a text that has expired while its terms were asked for is not made', async () => {
    const desk: Payer = openPayer(async (url, _method, send) => {
      const answer = await send();
      if (!url.endsWith('/lightning')) return answer;
      const { clock } = desk.sandbox;
      await clock.wait(8_000);
      const date = new Date(clock.now()).toUTCString();
      const headers = { ...Object.fromEntries(answer.headers), date };
      return new Response(await clock.external(answer.text()), { status: 201, headers });
    });
    const to = desk.payer.createBolt11({ sat: '21000', expirySeconds: 6 });
    const result = await desk.play({ to });
    expect(result.phase === 'refused' && result.guard).to.equal('expired');
    expect([desk.sent('PATCH', '/execute'), paymentsMoved(desk.sandbox)]).to.deep.equal([0, []]);
  });
});
