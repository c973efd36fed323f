// Protects: the key of a deposit is not sent once the service may have forgotten it, whatever a clock says: another debit
// would follow.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { deposit, resume } from 'paystate/flows';
import { describe, it } from '#test';
import { type Desk, openDesk, unreachable } from './moves-desk.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Trouble {
  /** How many answers to the deposit are lost; each request is done. */
  readonly lost: number;
  readonly hidesDate?: boolean;
}

/** A desk whose service forgets keys after a quarter of an hour. */
const openForgetful = ({ lost, hidesDate = false }: Trouble) => {
  let sent = 0;
  const desk: Desk = openDesk();
  const { clientOptions, clock } = desk.sandbox;
  const fetch: typeof clientOptions.fetch = async (url, init = {}) => {
    const isDeposit = init.method === 'POST' && String(url).endsWith('/deposits');
    const headers = new Headers(init.headers);
    const key = headers.get('idempotency-key');
    const age = Math.floor(clock.monotonic() / (15 * MINUTE));
    if (key) headers.set('idempotency-key', key.slice(0, -4) + String(age).padStart(4, '0'));
    const answer = await clientOptions.fetch(url, { ...init, headers });
    if (hidesDate) answer.headers.delete('date');
    return isDeposit && ++sent <= lost ? unreachable() : answer;
  };
  /** A client of a process whose clock is so far ahead of the service's, as it is then. */
  const clientAt = (ahead: () => number) =>
    createClient({
      ...clientOptions,
      fetch,
      clock: { ...clock, now: () => clock.now() + ahead() },
    });
  return { ...desk, clientAt, sent: () => sent };
};

/** Begins a deposit whose answer is lost, and ends that process. */
async function beginAndDie(desk: ReturnType<typeof openForgetful>): Promise<void> {
  const method = await desk.method();
  const order = { intent: 'a', bankPaymentMethodId: method, amount: '500.00' };
  const run = deposit(
    desk.clientAt(() => 0),
    { ...order, maxFee: 'any', journal: desk.journal },
  );
  await desk.sandbox.advance(500);
  expect(desk.sent()).to.equal(1);
  run.detach();
}

describe('the key of a deposit', () => {
  for (const hidesDate of [false, true])
    it(`is ${hidesDate ? 'not sent again' : "sent again by the service's time"} by a process whose clock was set back an hour, and never later`, async () => {
      const desk = openForgetful({ lost: 1, hidesDate });
      await beginAndDie(desk);
      const takeUp = async (ahead: number) => {
        const client = desk.clientAt(() => ahead);
        const [run] = await desk.sandbox.run(resume(client, { journal: desk.journal }));
        return desk.sandbox.run(run!.result);
      };
      for (const wait of [0, HOUR + MINUTE, 2 * HOUR]) {
        await desk.sandbox.advance(wait);
        const result = await takeUp(-HOUR);
        const ends = hidesDate ? ['unknown', 1] : ['completed', 2];
        expect([wait, result.phase, desk.sent()]).to.deep.equal([wait, ...ends]);
        if (result.phase === 'unknown')
          expect(result.candidates).to.deep.equal(desk.moved('deposit'));
      }
      expect(desk.moved('deposit')).to.have.length(1);
    });

  for (const [name, ahead] of [
    ['is right', 0],
    ['is a few seconds behind', -5_000],
    ['is a minute ahead', MINUTE],
  ] as const)
    it(`is sent again while it is young by a process whose clock ${name}`, async () => {
      const desk = openForgetful({ lost: 1 });
      await beginAndDie(desk);
      const client = desk.clientAt(() => ahead);
      const [run] = await desk.sandbox.run(resume(client, { journal: desk.journal }));
      expect((await desk.sandbox.run(run!.result)).phase).to.equal('completed');
      expect([desk.sent(), desk.moved('deposit').length]).to.deep.equal([2, 1]);
    });

  it('is not sent by a process that starts after ten minutes, by whatever clock it has', async () => {
    for (const ahead of [0, -9 * MINUTE, -HOUR]) {
      const desk = openForgetful({ lost: 1 });
      await beginAndDie(desk);
      await desk.sandbox.advance(16 * MINUTE);
      const client = desk.clientAt(() => ahead);
      const [run] = await desk.sandbox.run(resume(client, { journal: desk.journal }));
      expect([ahead, (await desk.sandbox.run(run!.result)).phase]).to.deep.equal([
        ahead,
        'unknown',
      ]);
      expect([desk.sent(), desk.moved('deposit').length]).to.deep.equal([1, 1]);
    }
  });

  it('ages while the clock of its process is set back', async () => {
    const desk = openForgetful({ lost: 1_000 });
    const method = await desk.method();
    let ahead = 0;
    const order = { intent: 'a', bankPaymentMethodId: method, amount: '500.00' };
    const client = desk.clientAt(() => ahead);
    const began = desk.sandbox.clock.monotonic();
    const run = deposit(client, { ...order, maxFee: 'any', journal: desk.journal });
    await desk.sandbox.advance(MINUTE);
    ahead = -HOUR;
    await desk.sandbox.advance(11 * MINUTE);
    const sent = desk.sent();
    expect((await desk.sandbox.run(run.result)).phase).to.equal('unknown');
    expect(desk.sent()).to.equal(sent);
    expect(desk.sandbox.clock.monotonic() - began).to.be.below(HOUR);
    expect(desk.moved('deposit')).to.have.length(1);
  });
});
