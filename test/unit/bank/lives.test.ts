import { expect } from 'chai';
import {
  bankPaymentMethodStates,
  currencyExchangeQuoteStates,
  depositStates,
  invoiceStates,
  paymentStates,
  payoutOriginatorStates,
  payoutStates,
  type StateMachine,
} from 'paystate/endpoints';
import * as rx from 'paystate/rx';
import { describe, it } from '#test';
import { openBank } from './bank.ts';

const LIVES: readonly StateMachine<string>[] = [
  invoiceStates,
  paymentStates,
  currencyExchangeQuoteStates,
  payoutStates,
  depositStates,
];

describe('the lives of resources', () => {
  it('agree on which states settle: one question serves them all', () => {
    const states = new Set(LIVES.flatMap((life) => Object.keys(life.transitions)));
    for (const state of states) {
      const answers = new Set(
        LIVES.filter((life) => Object.hasOwn(life.transitions, state)).map((life) =>
          life.isSettled(state),
        ),
      );
      expect(answers.size, state).to.equal(1);
    }
    for (const life of [bankPaymentMethodStates, payoutOriginatorStates])
      for (const state of Object.keys(life.transitions))
        expect(life.isSettled(state)).to.equal(false);
  });

  it('move only to states that they have, and out of none that is unknown', () => {
    for (const life of [...LIVES, bankPaymentMethodStates, payoutOriginatorStates]) {
      for (const [from, all] of Object.entries(life.transitions))
        for (const to of all)
          expect([Object.hasOwn(life.transitions, to), life.canMove(from, to)]).to.deep.equal([
            true,
            true,
          ]);
      expect([life.canMove('LATER', 'PAID'), life.rank('LATER')]).to.deep.equal([false, undefined]);
    }
  });

  it('untilSettled ends a watch that would go on, for any of them', async () => {
    const { client, run, sandbox, method } = openBank();
    const { id } = await run(
      client.payouts.create({ paymentMethodId: (await method()).id, amount: '5' }),
    );
    await run(client.payouts.initiate(id));
    const states: string[] = [];
    let ended = false;
    rx.watchPayout(client, id, { until: 'never' })
      .pipe(rx.untilSettled(), rx.values())
      .subscribe({
        next: ({ state }) => void states.push(state),
        complete: () => void (ended = true),
      });
    await sandbox.advance(10_000);
    expect([states, ended]).to.deep.equal([['INITIATED', 'COMPLETED'], true]);
  });
});
