// Protects: what the journal keeps of an intent, by which a restart, another process and a later version decide, and what the
// caller is told of it.
import { expect } from 'chai';
import {
  createGuards,
  type MoneyResult,
  type MoneyStep,
  pay,
  resume,
  type Run,
} from 'paystate/flows';
import { makeErrorResponse } from 'paystate/testing';
import { describe, it } from '#test';
import { openDesk, unreachable } from './moves-desk.ts';
import { EUR, paymentsMoved } from './pay-lives.ts';
import { linesOf, type Row, toldOf } from './journal-line.ts';

type Answer = (nth: number, send: () => Promise<Response>) => Promise<Response>;
const LOST: Answer = unreachable;
const refuse =
  (
    code: Parameters<typeof makeErrorResponse>[0],
    isRefused = (nth: number): boolean => nth === 1,
  ): Answer =>
  async (nth, send) =>
    isRefused(nth) ? makeErrorResponse(code) : send();

/** A desk whose answers to executing are such. */
const openBook = (answer: Answer = (_nth, send) => send()) => {
  let tries = 0;
  const desk = openDesk({}, async (url, _method, send) =>
    url.endsWith('/execute') ? answer(++tries, send) : send(),
  );
  const { sandbox, client, journal } = desk;
  const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
  const common = { intent: 'a', ...limits, journal } as const;
  const ADA = { to: 'ada@wallet.example', amount: EUR('20.00') };
  const play = async <Step extends MoneyStep, Result extends MoneyResult>(
    run: Run<Step, Result>,
  ) => {
    const told = toldOf(await sandbox.run(run.result));
    return [told, linesOf((await journal.get('pay/a'))!.value as Row).at(-1)!];
  };
  /** Pays the same to the same address, as another program does. */
  const payAsStranger = async () => {
    const draft = { lnAddressOrUrl: ADA.to, sourceCurrency: 'EUR', amount: ADA.amount };
    const { paymentQuoteId } = await sandbox.run(client.paymentQuotes.createLnurl(draft));
    await sandbox.run(client.paymentQuotes.execute(paymentQuoteId));
  };
  return {
    ...desk,
    play,
    payAsStranger,
    start: (options: object = {}) => pay(client, { ...common, ...ADA, ...options }),
    startText: (options: object = {}) =>
      pay(client, { ...common, to: sandbox.payer.createBolt11({ sat: '21000' }), ...options }),
  };
};

/** What happens, and after each end what was told and what is kept. */
const STORIES: Readonly<Record<string, () => Promise<readonly (readonly string[])[]>>> = {
  async 'a text that is paid'() {
    const { startText, play, journal } = openBook();
    await createGuards({ journal, maxPerDay: EUR('50.00') });
    return [await play(startText())];
  },
  async 'what a limit holds back, begun again with another'() {
    const { start, play, sandbox } = openBook();
    const one = await play(start({ maxTotal: EUR('1.00') }));
    const run = start({ maxTotal: EUR('99.00') });
    await sandbox.run(run.result);
    return [one, await play(run.retry())];
  },
  async 'what the service refuses, begun again'() {
    const { start, play } = openBook(refuse('BALANCE_TOO_LOW'));
    const run = start();
    return [await play(run), await play(run.retry())];
  },
  async 'what is lost twice'() {
    const { start, play } = openBook((nth, send) => (nth < 3 ? unreachable() : send()));
    return [await play(start())];
  },
  async 'a quote that has ended unused'() {
    const { start, play } = openBook(refuse('PAYMENT_QUOTE_EXPIRED'));
    return [await play(start())];
  },
  async 'quotes that end unused each time, begun again'() {
    const { start, play } = openBook(refuse('PAYMENT_QUOTE_EXPIRED', () => true));
    const run = start();
    return [await play(run), await play(run.retry())];
  },
  async 'what has failed, begun again'() {
    const { start, play, sandbox } = openBook();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 2_000, nth: 1 });
    const run = start();
    return [await play(run), await play(run.retry())];
  },
  async 'what never arrived, beside no other payment'() {
    const { start, play } = openBook(LOST);
    return [await play(start())];
  },
  async 'what is unknown, and not paid as a person says, begun again'() {
    let isAway = false;
    const { start, play, sandbox, payAsStranger } = openBook((_nth, send) =>
      isAway ? unreachable() : send(),
    );
    await payAsStranger();
    isAway = true;
    const run = start();
    const one = await play(run);
    await sandbox.run(run.resolve('not-paid'));
    isAway = false;
    const settled = start();
    return [one, await play(settled), await play(settled.retry())];
  },
  async 'what is unknown, and paid as a person says'() {
    const { start, play, sandbox } = openBook(async (_nth, send) => {
      await send();
      return unreachable();
    });
    const run = start();
    const one = await play(run);
    const [paymentId] = paymentsMoved(sandbox);
    await sandbox.run(run.resolve('paid', paymentId!));
    return [one, await play(start())];
  },
  async 'what is stopped before it began, begun again'() {
    const { start, play } = openBook();
    const run = start();
    void run.stop();
    return [await play(run), await play(run.retry())];
  },
  async 'an exchange that never arrived, begun again'() {
    let isAway = true;
    const { play, exchange } = openBook((_nth, send) => (isAway ? unreachable() : send()));
    const run = exchange();
    const one = await play(run);
    isAway = false;
    return [one, await play(run.retry())];
  },
  async 'a text whose quote has ended, and of which the service has no trace'() {
    const { startText, play } = openBook((nth, send) => (nth < 7 ? LOST(nth, send) : send()));
    return [await play(startText())];
  },
  async 'terms that are lost, and a payment that the service does not name'() {
    const { start, play, sandbox } = openBook(async (nth, send) => {
      if (nth > 1) return makeErrorResponse('PAYMENT_PROCESSED');
      await send();
      return unreachable();
    });
    sandbox.fault({ method: 'POST', nth: [1, 2, 3], action: 'lost-before' });
    return [await play(start())];
  },
  async 'what another process takes up'() {
    const { start, play, sandbox, client, journal } = openBook(async (nth, send) => {
      const answer = await send();
      return nth === 1 ? unreachable() : answer;
    });
    const run = start();
    await sandbox.advance(300);
    run.detach();
    await sandbox.advance(3_600_000);
    const [open] = await sandbox.run(resume(client, { journal }));
    return [await play(open!)];
  },
  async 'what the service says to be under way, and then that it was done'() {
    const { start, play } = openBook(async (nth, send) => {
      const answer = await send();
      return nth === 1 ? makeErrorResponse('PROCESSING_PAYMENT') : answer;
    });
    return [await play(start())];
  },
  async 'a success that cannot be read'() {
    const { startText, play } = openBook(async (nth, send) => {
      const answer = await send();
      return nth === 1 ? new Response('<h1>hotel</h1>', { status: 200 }) : answer;
    });
    return [await play(startText())];
  },
};

/** What was told, and the facts of the last round; one pair for each end. */
const KEPT: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'a text that is paid': [
    ['paid', '1: asked; 1: shown; 1: sent, ok with id; 1: moved completed proof ok; over paid'],
  ],
  'what a limit holds back, begun again with another': [
    [
      'refused input INPUT_INVALID not-done ask-user total',
      '1: asked; 1: refused free INPUT_INVALID input ask-user total; over refused INPUT_INVALID input ask-user total',
    ],
    [
      'paid',
      'again; taken; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof none; 2: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'what the service refuses, begun again': [
    [
      'refused refused BALANCE_TOO_LOW not-done ask-user 422',
      '1: asked; 1: shown; 1: sent, no BALANCE_TOO_LOW; over refused BALANCE_TOO_LOW refused ask-user 422',
    ],
    [
      'paid',
      'again; 1: sent, ended PAYMENT_QUOTE_EXPIRED; 1: closed; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof none; 2: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'what is lost twice': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (2); 1: sent, ok with id; 1: moved completed proof none; 1: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'a quote that has ended unused': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, ended PAYMENT_QUOTE_EXPIRED; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof none; 2: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'quotes that end unused each time, begun again': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote 422',
      '1: asked; 1: shown; 1: sent, ended PAYMENT_QUOTE_EXPIRED; 2: asked; 2: shown; 2: sent, ended PAYMENT_QUOTE_EXPIRED; 3: asked; 3: shown; 3: sent, ended PAYMENT_QUOTE_EXPIRED; over refused PAYMENT_QUOTE_EXPIRED refused new-quote 422',
    ],
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote 422',
      'again; 4: asked; 4: shown; 4: sent, ended PAYMENT_QUOTE_EXPIRED; 5: asked; 5: shown; 5: sent, ended PAYMENT_QUOTE_EXPIRED; 6: asked; 6: shown; 6: sent, ended PAYMENT_QUOTE_EXPIRED; over refused PAYMENT_QUOTE_EXPIRED refused new-quote 422',
    ],
  ],
  'what has failed, begun again': [
    [
      'failed',
      '1: asked; 1: shown; 1: sent, ok with id; 1: moved pending; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved failed; over failed',
    ],
    [
      'paid',
      'again; 1: sent, ok PAYMENT_PROCESSED with id; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof none; 2: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'what never arrived, beside no other payment': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (10); 1: closed; 2: asked; 2: shown; 2: sent, none UNREACHABLE (10); 2: closed; over refused PAYMENT_QUOTE_EXPIRED refused new-quote',
    ],
  ],
  'what is unknown, and not paid as a person says, begun again': [
    [
      'unknown unreachable EXISTS_UNREAD unknown read-first',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (10); found 1; over unknown',
    ],
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (10); found 1; over unknown; verdict not-paid; over refused PAYMENT_QUOTE_EXPIRED refused new-quote',
    ],
    [
      'paid',
      'again; taken; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof none; 2: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'what is unknown, and paid as a person says': [
    [
      'unknown unreachable EXISTS_UNREAD unknown read-first',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (10); found 1; over unknown',
    ],
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (10); found 1; over unknown; verdict paid; moved pending sure; moved completed sure proof none; over paid',
    ],
  ],
  'what is stopped before it began, begun again': [
    ['stopped', 'stopped; over stopped'],
    [
      'paid',
      'again; 1: asked; 1: shown; 1: sent, ok with id; 1: moved completed proof none; 1: sent, ok PAYMENT_PROCESSED with id; over paid',
    ],
  ],
  'an exchange that never arrived, begun again': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE; 1: unmoved; 1: sent, none UNREACHABLE; 1: unmoved; 1: sent, none UNREACHABLE; 1: unmoved; 1: sent, none UNREACHABLE; 1: unmoved; 1: sent, none UNREACHABLE; 1: unmoved (5); 1: closed; 2: asked; 2: shown; 2: sent, none UNREACHABLE; 2: unmoved; 2: sent, none UNREACHABLE; 2: unmoved; 2: sent, none UNREACHABLE; 2: unmoved; 2: sent, none UNREACHABLE; 2: unmoved; 2: sent, none UNREACHABLE; 2: unmoved (5); 2: closed; 3: asked; 3: shown; 3: sent, none UNREACHABLE; 3: unmoved; 3: sent, none UNREACHABLE; 3: unmoved; 3: sent, none UNREACHABLE; 3: unmoved; 3: sent, none UNREACHABLE; 3: unmoved; 3: sent, none UNREACHABLE; 3: unmoved (5); 3: closed; over refused PAYMENT_QUOTE_EXPIRED refused new-quote',
    ],
    [
      'completed',
      'again; 4: asked; 4: shown; 4: sent, ok with id; 4: moved pending sure; 4: moved completed sure; over paid',
    ],
  ],
  'a text whose quote has ended, and of which the service has no trace': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE (6); 1: sent, ended PAYMENT_QUOTE_EXPIRED; 1: closed; 2: asked; 2: shown; 2: sent, ok with id; 2: moved completed proof ok; over paid',
    ],
  ],
  'terms that are lost, and a payment that the service does not name': [
    [
      'unknown unreachable EXISTS_UNREAD unknown read-first',
      '1: asked; 1: refused for now UNREACHABLE unreachable new-quote; 1: shown; 1: sent, none UNREACHABLE; 1: sent, ok PAYMENT_PROCESSED (9); found 1; over unknown',
    ],
  ],
  'what another process takes up': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none UNREACHABLE; taken; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved pending; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved completed proof none; over paid',
    ],
  ],
  'what the service says to be under way, and then that it was done': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none PROCESSING_PAYMENT; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved pending; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved completed proof none; over paid',
    ],
  ],
  'a success that cannot be read': [
    [
      'paid',
      '1: asked; 1: shown; 1: sent, none RESPONSE_NOT_JSON; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved pending; 1: sent, ok PAYMENT_PROCESSED with id; 1: moved completed proof ok; over paid',
    ],
  ],
};

describe('the journal keeps, and the caller is told, of', () => {
  for (const [what, story] of Object.entries(STORIES))
    it(what, async () => {
      expect(await story()).to.deep.equal(KEPT[what]);
    });
});
