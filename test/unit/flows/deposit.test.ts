// Protects: one intent draws money from a bank once, by one key, and what nobody can know is unknown.
import { expect } from 'chai';
import { type DepositResult, resume } from 'paystate/flows';
import { describe, it } from '#test';
import { altered } from '../state/shop.ts';
import { type Desk, lateCopyDesk, openDesk, unreachable } from './moves-desk.ts';

const CREATE = { method: 'POST', path: '/v1/deposits' };
const play = async (desk: Desk, options = {}): Promise<DepositResult> =>
  desk.sandbox.run(desk.deposit(await desk.method(), options).result);
const drawn = (desk: Desk) => desk.sent('POST', '/deposits');
const guardOf = (result: DepositResult) =>
  result.phase === 'refused' ? [result.guard, result.error.outcome] : result.phase;

describe('a deposit', () => {
  it('is estimated, made and followed to its end', async () => {
    const desk = openDesk();
    const run = desk.deposit(await desk.method(), { maxFee: { percent: '1' } });
    const phases = new Set<string>();
    run.subscribe(({ phase }) => void phases.add(phase));
    const result = await desk.sandbox.run(run.result);
    if (result.phase !== 'completed') throw new Error(result.phase);
    expect([...phases]).to.deep.equal(['new', 'executing', 'pending', 'completed']);
    expect(result.movement.state).to.equal('COMPLETED');
    expect(desk.moved('deposit')).to.deep.equal([result.movement.id]);
  });

  it('is held back where its fee is too high, or its amount another one', async () => {
    const cases = [
      ['fee', { maxFee: { amount: '0.10', currency: 'EUR' } }, (terms: object) => terms],
      ['amount', {}, (terms: object) => ({ ...terms, amount: { amount: '5', currency: 'EUR' } })],
    ] as const;
    for (const [guard, options, change] of cases) {
      const desk = openDesk({}, async (url, _method, send) =>
        url.endsWith('/fee') ? altered(await send(), change) : send(),
      );
      expect(guardOf(await play(desk, options))).to.deep.equal([guard, 'not-done']);
      expect([drawn(desk), desk.moved('deposit')]).to.deep.equal([0, []]);
    }
  });

  it('is made once where answers are lost, in this process and after a restart', async () => {
    for (const isRestart of [false, true]) {
      const desk = openDesk();
      desk.sandbox.fault({ ...CREATE, nth: [1, 2], action: 'lost-after' });
      const run = desk.deposit(await desk.method());
      if (isRestart) {
        await desk.sandbox.advance(500);
        run.detach();
      }
      const [open = run] = isRestart
        ? await desk.sandbox.run(resume(desk.client, { journal: desk.journal }))
        : [];
      expect((await desk.sandbox.run(open.result)).phase).to.equal('completed');
      expect(desk.moved('deposit')).to.have.length(1);
    }
  });

  it('without an answer in ten minutes is unknown, and names what it may be, or refused; it is not made later', async () => {
    for (const [action, phase, count] of [
      ['lost-after', 'unknown', 1],
      ['lost-before', 'refused', 0],
    ] as const) {
      const desk = openDesk();
      const end = desk.sandbox.fault({ ...CREATE, action });
      const began = desk.sandbox.clock.monotonic();
      const result = await play(desk);
      if (result.phase !== phase) throw new Error(result.phase);
      expect(result.error.operation).to.equal('deposit');
      expect(result.error.outcome).to.equal(phase === 'refused' ? 'not-done' : 'unknown');
      expect(desk.moved('deposit')).to.have.length(count);
      if (result.phase === 'unknown')
        expect(result.candidates).to.deep.equal(desk.moved('deposit'));
      // lists show everything five minutes after the key may be forgotten
      expect(desk.sandbox.clock.monotonic() - began).to.be.above(900_000);
      end();
      const before = drawn(desk);
      const [open] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
      expect((await desk.sandbox.run(open!.result)).phase).to.equal(phase);
      expect(drawn(desk)).to.equal(before);
      expect(desk.moved('deposit')).to.have.length(count);
    }
  });

  it('is not taken for one of the same amount that takes another total, nor is that left out', async () => {
    const desk = openDesk({}, async (url, method, send) =>
      method === 'GET' && /\/deposits(\?|$)/.test(url)
        ? altered(await send(), (page: { readonly items: readonly object[] }) => ({
            ...page,
            items: page.items.map((one) => ({
              ...one,
              totalAmount: { amount: '777.00', currency: 'EUR' },
            })),
          }))
        : send(),
    );
    desk.sandbox.fault({ ...CREATE, action: 'lost-after' });
    const result = await play(desk);
    expect(result.phase === 'unknown' && result.candidates).to.deep.equal(desk.moved('deposit'));
    expect(desk.moved('deposit')).to.have.length(1);
  });

  it('is not taken for one of another amount', async () => {
    const desk = openDesk();
    const method = await desk.method();
    const draft = { paymentMethodId: method, amount: '100.00' };
    const other = await desk.sandbox.run(desk.client.deposits.create(draft));
    desk.sandbox.fault({ ...CREATE, action: 'lost-before' });
    const result = await desk.sandbox.run(desk.deposit(method).result);
    expect(guardOf(result)).to.deep.equal([undefined, 'not-done']);
    expect(desk.moved('deposit')).to.deep.equal([other.id]);
  });

  it('is settled by a person who has looked', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ ...CREATE, action: 'lost-after' });
    const run = desk.deposit(await desk.method());
    const result = await desk.sandbox.run(run.result);
    if (result.phase !== 'unknown') throw new Error(result.phase);
    await run.resolve('paid', result.candidates[0]!);
    const [open] = await desk.sandbox.run(resume(desk.client, { journal: desk.journal }));
    expect((await desk.sandbox.run(open!.result)).phase).to.equal('completed');
  });

  it('that was refused is made under the same key by a retry, which a late copy cannot double', async () => {
    const desk = lateCopyDesk('/deposits', 'DEPOSIT_LIMIT_EXCEEDED');
    const run = desk.deposit(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    await desk.sandbox.advance(10_000);
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect(desk.moved('deposit')).to.have.length(1);
  });

  it('is made under a key of its own by a retry that comes when the last key is almost over', async () => {
    const desk = openDesk();
    const end = desk.sandbox.fault({
      method: 'POST',
      path: '/v1/deposits',
      action: { status: 422, code: 'BALANCE_TOO_LOW' },
    });
    const run = desk.deposit(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('refused');
    end();
    await desk.sandbox.advance(560_000);
    const began = desk.sandbox.clock.monotonic();
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    // a late copy of the first request counts until ten minutes after it
    expect(desk.sandbox.clock.monotonic() - began).to.be.above(40_000);
    expect(desk.moved('deposit')).to.have.length(1);
  });

  it('that the bank declines has failed, and a retry is another one', async () => {
    const desk = openDesk();
    desk.sandbox.fault({ subject: 'deposit', state: 'FAILED', delay: 0, nth: 1 });
    const run = desk.deposit(await desk.method());
    expect((await desk.sandbox.run(run.result)).phase).to.equal('failed');
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect(desk.moved('deposit')).to.have.length(1);
  });

  it('is unknown where its list cannot be read', async () => {
    const desk = openDesk({}, (url, method, send) =>
      url.endsWith('/deposits') || (method === 'GET' && url.includes('/deposits?'))
        ? unreachable()
        : send(),
    );
    expect((await play(desk)).phase).to.equal('unknown');
  });
});
