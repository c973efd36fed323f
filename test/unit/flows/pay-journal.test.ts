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
import { EUR } from './pay-lives.ts';
import { lineOf, type Row, toldOf } from './journal-line.ts';

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
    return [told, lineOf((await journal.get('pay/a'))!.value as Row)];
  };
  return {
    ...desk,
    play,
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
  async 'what is unknown, and not paid as a person says, begun again'() {
    let isAway = true;
    const { start, play, sandbox } = openBook((_nth, send) => (isAway ? unreachable() : send()));
    const run = start();
    const one = await play(run);
    await sandbox.run(run.resolve('not-paid'));
    isAway = false;
    const settled = start();
    return [one, await play(settled), await play(settled.retry())];
  },
  async 'what is unknown, and paid as a person says'() {
    let isAway = true;
    const { start, play, sandbox, client } = openBook((_nth, send) =>
      isAway ? unreachable() : send(),
    );
    const run = start();
    const one = await play(run);
    isAway = false;
    const draft = { lnAddressOrUrl: 'ada@wallet.example', sourceCurrency: 'EUR' };
    const { paymentQuoteId } = await sandbox.run(
      client.paymentQuotes.createLnurl({ ...draft, amount: EUR('20.00') }),
    );
    const { paymentId } = await sandbox.run(client.paymentQuotes.execute(paymentQuoteId));
    await sandbox.run(run.resolve('paid', paymentId));
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

/** What was told, and the line of the row; one pair for each end. */
const KEPT: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'a text that is paid': [
    ['paid', 'PAID round 1; quote; 1 sent; 1 accepted; executed; id COMPLETED; proof ok'],
  ],
  'what a limit holds back, begun again with another': [
    [
      'refused input INPUT_INVALID not-done ask-user total',
      'REFUSED round 1; no quote; 0 sent; why INPUT_INVALID input ask-user total',
    ],
    [
      'paid',
      'PAID round 2; quote; 1 sent; 1 accepted; executed; id COMPLETED; proof none; past: no quote, INPUT_INVALID',
    ],
  ],
  'what the service refuses, begun again': [
    [
      'refused refused BALANCE_TOO_LOW not-done ask-user 422',
      'REFUSED round 1; quote; 1 sent; 1 refused BALANCE_TOO_LOW; why BALANCE_TOO_LOW refused ask-user 422',
    ],
    [
      'paid',
      'PAID round 2; quote; 3 sent; 3 accepted; executed; id COMPLETED; proof none; past: quote, 1 refused BALANCE_TOO_LOW, 2 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED',
    ],
  ],
  'what is lost twice': [
    [
      'paid',
      'PAID round 1; quote; 3 sent; 1-2 doubt UNREACHABLE, 3 accepted; executed; id COMPLETED; proof none',
    ],
  ],
  'a quote that has ended unused': [
    [
      'paid',
      'PAID round 1; 1 renewed; quote; 2 sent; 2 accepted; executed; id COMPLETED; proof none; past: quote, 1 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED',
    ],
  ],
  'quotes that end unused each time, begun again': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote 422',
      'REFUSED round 1; 2 renewed; quote; 3 sent; 3 refused PAYMENT_QUOTE_EXPIRED; why PAYMENT_QUOTE_EXPIRED refused new-quote 422; past: quote, 1 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED; past: quote, 2 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED',
    ],
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote 422',
      'REFUSED round 2; 2 renewed; quote; 6 sent; 6 refused PAYMENT_QUOTE_EXPIRED; why PAYMENT_QUOTE_EXPIRED refused new-quote 422; past: quote, 1 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED; past: quote, 2 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED; past: quote, 3 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED; past: quote, 4 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED; past: quote, 5 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED',
    ],
  ],
  'what has failed, begun again': [
    ['failed', 'FAILED round 1; quote; 1 sent; 1 accepted; executed; id FAILED; was pending'],
    [
      'paid',
      'PAID round 2; quote; 2 sent; 2 accepted; executed; id COMPLETED; proof none; past: quote, 1 accepted, id',
    ],
  ],
  'what is unknown, and not paid as a person says, begun again': [
    [
      'unknown unreachable EXISTS_UNREAD unknown read-first',
      'UNKNOWN round 1; quote; 10 sent; 1-10 doubt UNREACHABLE; 0 candidates',
    ],
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      'REFUSED round 1; quote; 10 sent; 1-10 refused UNREACHABLE; why PAYMENT_QUOTE_EXPIRED refused new-quote; 0 candidates; a person says not-paid',
    ],
    [
      'paid',
      'PAID round 2; quote; 12 sent; 12 accepted; executed; id COMPLETED; proof none; past: quote, 1-10 refused UNREACHABLE, 11 refused PAYMENT_QUOTE_EXPIRED, PAYMENT_QUOTE_EXPIRED',
    ],
  ],
  'what is unknown, and paid as a person says': [
    [
      'unknown unreachable EXISTS_UNREAD unknown read-first',
      'UNKNOWN round 1; quote; 10 sent; 1-10 doubt UNREACHABLE; 0 candidates',
    ],
    [
      'paid',
      'PAID round 1; quote; 10 sent; 1-10 doubt UNREACHABLE; executed; id COMPLETED; proof none; was pending; 0 candidates; a person says paid',
    ],
  ],
  'what is stopped before it began, begun again': [
    ['stopped', 'STOPPED round 1; no quote; 0 sent'],
    [
      'paid',
      'PAID round 2; quote; 1 sent; 1 accepted; executed; id COMPLETED; proof none; past: no quote',
    ],
  ],
  'an exchange that never arrived, begun again': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      'REFUSED round 1; quote; 5 sent; 1-5 refused not-executed; why PAYMENT_QUOTE_EXPIRED refused new-quote; 0 candidates',
    ],
    [
      'completed',
      'PAID round 2; quote; 6 sent; 6 accepted; executed; id COMPLETED; was pending; past: quote, 1-5 refused not-executed, PAYMENT_QUOTE_EXPIRED',
    ],
  ],
  'a text whose quote has ended, and of which the service has no trace': [
    [
      'refused refused PAYMENT_QUOTE_EXPIRED not-done new-quote',
      'REFUSED round 1; quote; 7 sent; 1-6 doubt UNREACHABLE, 7 refused PAYMENT_QUOTE_EXPIRED; why PAYMENT_QUOTE_EXPIRED refused new-quote; 0 candidates',
    ],
  ],
  'terms that are lost, and a payment that the service does not name': [
    [
      'paid',
      'PAID round 1; 1 lost; quote; 10 sent; 1 doubt UNREACHABLE, 2-10 accepted PAYMENT_PROCESSED; executed; id COMPLETED; proof none; was pending; 1 candidates',
    ],
  ],
  'what another process takes up': [
    [
      'paid',
      'PAID round 1; quote; 2 sent; 1 doubt UNREACHABLE, 2 accepted PAYMENT_PROCESSED; executed; id COMPLETED; proof none; was pending',
    ],
  ],
  'what the service says to be under way, and then that it was done': [
    [
      'paid',
      'PAID round 1; quote; 2 sent; 1 doubt PROCESSING_PAYMENT, 2 accepted PAYMENT_PROCESSED; executed; id COMPLETED; proof none; was pending',
    ],
  ],
  'a success that cannot be read': [
    [
      'paid',
      'PAID round 1; quote; 2 sent; 1 accepted RESPONSE_NOT_JSON, 2 accepted PAYMENT_PROCESSED; executed; id COMPLETED; proof ok; was pending',
    ],
  ],
};

describe('the journal keeps, and the caller is told, of', () => {
  for (const [what, story] of Object.entries(STORIES))
    it(what, async () => {
      expect(await story()).to.deep.equal(KEPT[what]);
    });
});
