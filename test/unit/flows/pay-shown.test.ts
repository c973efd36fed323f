// Protects: what a run has shown never weakens: a page that is not the service's accepts nothing, a payment that was named
// stays on its way, and nothing but an end follows an end.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { type MoneyStep, pay, type Run } from 'paystate/flows';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { paymentsMoved } from './pay-lives.ts';
import { openTimed } from './timed-desk.ts';

const HOUR = 3_600_000;
const page = (): Response => new Response('<p>Please log in</p>');
const unavailable = (): Response => makeErrorResponse('SERVICE_UNAVAILABLE');

/** Lists each phase that a run shows; a repetition is no news. */
const listen = (run: Run<MoneyStep, unknown>): readonly string[] => {
  const phases: string[] = [];
  run.subscribe(({ phase }) => void (phases.at(-1) === phase || phases.push(phase)));
  return phases;
};

describe('what a run shows', () => {
  for (const rail of ['lnurl', 'exchange', 'payout', 'deposit'] as const)
    it(`is not "accepted" after a page of somebody else: ${rail}`, async () => {
      const desk = openTimed(async (nth, send) => (nth < 3 ? page() : send()));
      const run = await desk.begin(rail);
      const phases = listen(run);
      await desk.sandbox.run(run.result);
      expect(phases.slice(0, -1)).to.deep.equal(['new', 'executing', 'unconfirmed', 'pending']);
      expect(phases.at(-1)).to.be.oneOf(['paid', 'completed']);
    });

  /** What two processes show of one payment to which the service does not answer any more after so many requests. */
  const showTwice = async (answered: number) => {
    const desk = openTimed(async (nth, send) => {
      if (nth === 1) await send();
      return nth > 1 && nth <= answered ? send() : unavailable();
    });
    const { sandbox, fetch, ada } = desk;
    const first = await desk.begin('lnurl');
    await sandbox.advance(1_000);
    const second = pay(createClient({ ...sandbox.clientOptions, fetch }), ada);
    const shown = [first, second].map(listen);
    await sandbox.run(Promise.all([first.result, second.result]));
    const before = desk.moves.length;
    await sandbox.advance(2 * HOUR);
    expect(paymentsMoved(sandbox)).to.have.length(1);
    return { shown, later: desk.moves.length - before };
  };

  it('stays unknown while its payment is searched for again', async () => {
    const { shown, later } = await showTwice(1);
    expect(later).to.be.above(0);
    for (const phases of shown)
      expect(phases.slice(phases.indexOf('unknown'))).to.deep.equal(['unknown']);
  });

  it('stays pending once its payment was named, though another process ends as unknown', async () => {
    const { shown } = await showTwice(2);
    for (const phases of shown) expect(phases.slice(-2)).to.deep.equal(['pending', 'unknown']);
  });
});
