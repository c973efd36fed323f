// Protects: every run says why it has not ended, and gets out of every state in bounded time, whatever the service says.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { pay, resume } from 'paystate/flows';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { openDesk } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';

const MINUTE = 60_000;
const ACCEPTED = async () => new Response(null, { status: 202 });

describe('what the service accepts and does not do', () => {
  it('is not waited for: an exchange that stays NEW is refused, and another round makes it', async () => {
    let isDeaf = true;
    const desk = openDesk({}, (url, method, send) =>
      isDeaf && method === 'PATCH' && url.endsWith('/execute') ? ACCEPTED() : send(),
    );
    const run = desk.exchange();
    const began = desk.sandbox.clock.monotonic();
    await desk.sandbox.advance(5_000);
    const step = run.current();
    expect([step.phase, 'reason' in step && step.reason]).to.deep.equal([
      'executing',
      "the service reports NEW; we'll keep checking until that changes",
    ]);
    const result = await desk.sandbox.run(run.result);
    expect([result.phase, result.phase === 'refused' && result.error.outcome]).to.deep.equal([
      'refused',
      'not-done',
    ]);
    expect(desk.sandbox.clock.monotonic() - began).to.be.below(10 * MINUTE);
    expect(desk.moved('exchange')).to.deep.equal([]);
    isDeaf = false;
    expect((await desk.sandbox.run(run.retry().result)).phase).to.equal('completed');
    expect(desk.moved('exchange')).to.have.length(1);
  });

  it('is tried again while it can be: a payout whose first initiation was dropped', async () => {
    let left = 1;
    const desk = openDesk({}, (url, method, send) =>
      method === 'PATCH' && url.endsWith('/initiate') && left-- > 0
        ? Promise.resolve(new Response('{}', { status: 202 }))
        : send(),
    );
    const method = await desk.method();
    const result = await desk.sandbox.run(desk.payOut(method).result);
    expect(result.phase).to.equal('completed');
    expect(desk.moved('payout')).to.have.length(1);
  });
});

/** A payment that was accepted, and whose reads are answered with 404 until it is found. */
function payMissing() {
  let isMissing = true;
  const { sandbox, client, journal } = openDesk({}, (url, method, send) =>
    isMissing && method === 'GET' && /\/payments\/[^/]+$/.test(url)
      ? Promise.resolve(makeErrorResponse('NOT_FOUND'))
      : send(),
  );
  sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: MINUTE });
  const common = { sourceCurrency: 'EUR', maxFee: 'any', journal } as const;
  const order = { ...common, to: 'ada@wallet.example', amount: EUR('5.00'), intent: 'a' };
  return { sandbox, journal, run: pay(client, order), find: () => void (isMissing = false) };
}

describe('a payment that cannot be read', () => {
  it('says so, is given up after ten minutes of 404, and is taken up again by resume', async () => {
    const { sandbox, journal, run, find } = payMissing();
    const began = sandbox.clock.monotonic();
    await sandbox.advance(MINUTE);
    const step = run.current();
    expect(step.phase).to.equal('pending');
    expect('reason' in step && step.reason).to.match(
      /cannot be read \(NOT_FOUND\); we'll keep trying/,
    );
    const result = await sandbox.run(run.result);
    if (result.phase !== 'unknown') throw new Error(result.phase);
    expect(result.reason).to.match(
      /accepted the request, but its state could not be read .*NOT_FOUND.*resume/,
    );
    expect(sandbox.clock.monotonic() - began).to.be.below(15 * MINUTE);
    find();
    const [again] = await sandbox.run(resume(createClient(sandbox.clientOptions), { journal }));
    expect((await sandbox.run(again!.result)).phase).to.equal('paid');
    expect(paymentsMoved(sandbox)).to.have.length(1);
  });

  it('that was given up ends by what a person says, unless it has completed meanwhile', async () => {
    for (const says of ['not-paid', 'paid'] as const) {
      const { sandbox, journal, run, find } = payMissing();
      expect((await sandbox.run(run.result)).phase).to.equal('unknown');
      const [paymentId = ''] = paymentsMoved(sandbox);
      if (says === 'paid') find();
      if (says === 'not-paid') await sandbox.run(run.resolve('not-paid'));
      else await sandbox.run(run.resolve('paid', paymentId));
      const [again] = await sandbox.run(resume(createClient(sandbox.clientOptions), { journal }));
      const end = await sandbox.run(again!.result);
      expect(end.phase).to.equal(says === 'paid' ? 'paid' : 'refused');
    }
  });

  it('is given up after a day without any answer', async () => {
    const desk = openDesk({}, (url, method, send) =>
      method === 'GET' && /\/payments\/[^/]+$/.test(url)
        ? Promise.reject(new TypeError('away'))
        : send(),
    );
    const { sandbox, client, journal } = desk;
    sandbox.fault({ subject: 'payment', state: 'COMPLETED', delay: MINUTE });
    const common = { sourceCurrency: 'EUR', maxFee: 'any', journal } as const;
    const order = { ...common, to: 'ada@wallet.example', amount: EUR('5.00'), intent: 'a' };
    const began = sandbox.clock.monotonic();
    const run = pay(client, order);
    await sandbox.advance(25 * 60 * MINUTE);
    const result = await sandbox.run(run.result);
    expect(result.phase).to.equal('unknown');
    expect(sandbox.clock.monotonic() - began).to.be.below(26 * 60 * MINUTE);
  });
});
