// A desk that writes down when money was to be moved, and when it was looked for.
import { type MoneyResult, type MoneyStep, pay, type Run } from 'paystate/flows';
import { type Desk, openDesk } from './moves-desk.ts';
import { EUR } from './pay-lives.ts';

export const MOVES = /\/(execute|initiate)$/;
export type TimedRail = 'bolt11' | 'lnurl' | 'exchange' | 'payout' | 'deposit';

/** How an answer to a request that moves money is lost, or what it is; the first has number 1. */
type Answer = (nth: number, send: () => Promise<Response>) => Promise<Response>;
export const lose: Answer = () => Promise.reject(new TypeError('lost'));

/** A desk that writes down when money was to be moved, and when that was looked for; seconds after the first request. */
export const openTimed = (answer: Answer = lose) => {
  const moves: number[] = [];
  const looks: number[] = [];
  const lists: string[] = [];
  let first = Infinity;
  const desk: Desk = openDesk({}, async (url, method, send) => {
    const now = desk.sandbox.clock.now();
    const isMove = method !== 'GET' && (MOVES.test(url) || url.endsWith('/deposits'));
    if (isMove) first = Math.min(first, now);
    const at = Math.floor((now - first) / 1_000);
    if (isMove) return answer(moves.push(at), send);
    if (method === 'GET' && at >= 0) {
      looks.push(at);
      lists.push(decodeURIComponent(url));
    }
    return send();
  });
  const { sandbox, client, journal } = desk;
  const limits = { sourceCurrency: 'EUR', maxFee: 'any', maxTotal: 'any' } as const;
  const common = { intent: 'a', ...limits, journal } as const;
  const ada = { ...common, to: 'ada@wallet.example', amount: EUR('20.00') };
  const begin = {
    bolt11: () => pay(client, { ...common, to: sandbox.payer.createBolt11({ sat: '21000' }) }),
    lnurl: () => pay(client, ada),
    exchange: () => desk.exchange(),
    payout: async () => desk.payOut(await desk.method()),
    deposit: async () => desk.deposit(await desk.method()),
  };
  return {
    ...desk,
    moves,
    looks,
    lists,
    first: () => first,
    ada,
    begin: async (rail: TimedRail) => (await begin[rail]()) as Run<MoneyStep, MoneyResult>,
  };
};
