// Exchange quotes, as the model knows them.
import { invalid, ok, refused, type Said } from './answers.ts';
import { fitted, requireCurrency, requireFree, requirePolicy, requireText } from './amounts.ts';
import { minus, part, plus, type Sum, sum, wire } from './decimals.ts';
import { type Account, CURRENCIES, type Entity, type Model } from './model.ts';
import type { Spend } from './payments.ts';
import { owned, touch } from './play.ts';

export interface Exchange extends Entity {
  readonly account: Account;
  readonly source: Sum;
  readonly target: Sum;
  readonly fee: Sum;
  readonly debit: Sum;
  readonly rate: string;
  readonly end: number;
  state: string;
}

export const EXCHANGE_MOVES: Readonly<Record<string, readonly string[]>> = {
  NEW: ['PENDING'],
  PENDING: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: [],
};

export const exchangesOf = (model: Model): Exchange[] => model.table('exchanges', () => []);
const keysOf = (model: Model, { handle }: Account): Map<string, Exchange> =>
  model.table(`exchange keys/${handle}`, () => new Map());

const shown = ({ id, source, target, fee, rate, state }: Exchange): object => ({
  id,
  source: wire(source),
  target: wire(target),
  fee: wire(fee),
  state,
  conversionRate: {
    amount: rate,
    sourceCurrency: source.currency,
    targetCurrency: target.currency,
  },
});

export interface ExchangeDraft {
  readonly sell: string;
  readonly buy: string;
  readonly amount: Spend;
}

export const exchangeShape =
  ({ sell, buy, amount }: ExchangeDraft) =>
  (): void => {
    requireText(amount.amount, 'amount.amount');
    if (amount.currency !== sell && amount.currency !== buy) throw invalid('amount.currency');
  };

/** Half a percent of what is sold, on top or inside. */
const termsOf = (
  model: Model,
  { sell, buy, amount: { feePolicy, ...given } }: ExchangeDraft,
): Pick<Exchange, 'source' | 'target' | 'fee' | 'debit' | 'rate'> => {
  requirePolicy(feePolicy, 'amount.feePolicy');
  const amount = fitted(given);
  const isInside = feePolicy === 'INCLUSIVE';
  if (model.away.has('rates UNAVAILABLE')) throw refused('EXCHANGE_RATE_NOT_AVAILABLE');
  const rate = model.rate(sell, buy);
  const isBought = amount.currency === buy;
  const net = isBought ? model.convert(amount, sell, 'up') : amount;
  const fee = part(net, '0.005');
  const source = isBought && isInside ? plus(net, fee) : net;
  const target = isBought ? amount : model.convert(isInside ? minus(net, fee) : net, buy, 'down');
  return { source, target, fee, rate, debit: isInside ? source : plus(source, fee) };
};

export const createExchange = (
  model: Model,
  account: Account,
  key: string | undefined,
  draft: ExchangeDraft,
): Said => {
  const known = key === undefined ? undefined : keysOf(model, account).get(key);
  if (known)
    throw refused('DUPLICATE_CURRENCY_EXCHANGE_QUOTE', { currencyExchangeQuoteId: known.id });
  for (const currency of [draft.sell, draft.buy])
    if (!CURRENCIES.some((one) => one === currency))
      throw refused('CURRENCY_UNSUPPORTED', { requestedCurrency: currency });
  if (draft.sell === draft.buy) throw refused('CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED');
  requireCurrency(account, draft.sell, 'sell');
  requireCurrency(account, draft.buy, 'buy');
  const terms = termsOf(model, draft);
  for (const { units, currency } of [terms.source, terms.target])
    if (units < sum(currency === 'BTC' ? '0.000001' : '0.01', currency).units)
      throw refused('CURRENCY_EXCHANGE_AMOUNT_TOO_LOW');
  requireFree(model, account, terms.debit);
  const exchange: Exchange = { id: '', account, ...terms, end: model.now + 30_000, state: 'NEW' };
  exchangesOf(model).push(exchange);
  if (key !== undefined) keysOf(model, account).set(key, exchange);
  return ok(
    () => shown(exchange),
    200,
    ({ id }: { id: string }) => {
      exchange.id = id;
    },
  );
};

export const findExchange = (account: Account, found: Exchange | undefined): Said =>
  ok(shown(owned(found, (one) => one.account === account)));

export interface Outcome {
  readonly state: string;
  readonly after: number;
}

export const executeExchange = (
  model: Model,
  account: Account,
  found: Exchange | undefined,
  outcome: Outcome,
): Said => {
  const exchange = owned(found, (one) => one.account === account);
  if (exchange.state !== 'NEW') throw refused('CURRENCY_EXCHANGE_QUOTE_PROCESSED');
  if (model.now >= exchange.end) throw refused('CURRENCY_EXCHANGE_QUOTE_EXPIRED');
  requireFree(model, account, exchange.debit);
  moveExchange(model, exchange, 'PENDING', outcome);
  return ok(undefined, 202);
};

export const moveExchange = (
  model: Model,
  exchange: Exchange,
  to: string,
  { state, after }: Outcome = { state: 'COMPLETED', after: 1_000 },
): void => {
  const { account, debit, fee, target } = exchange;
  const [free, held] = [`${account.handle}.free`, `${account.handle}.held`];
  const lines =
    to === 'PENDING'
      ? [{ from: free, to: held, money: debit }]
      : to === 'FAILED'
        ? [{ from: held, to: free, money: debit }]
        : [
            { from: held, to: 'fx', money: minus(debit, fee) },
            { from: held, to: 'fees', money: fee },
            { from: 'fx', to: free, money: target },
          ];
  if (!model.post(lines)) throw refused('BALANCE_TOO_LOW');
  exchange.state = to;
  model.tell(account, 'currency-exchange-quote.updated', exchange, ['state']);
  touch(model, exchange, () => [
    { account, path: `/v1/currency-exchange-quotes/${exchange.id}`, shown: shown(exchange) },
  ]);
  if (to === 'PENDING')
    model.later(after, () => {
      if (exchange.state === 'PENDING') moveExchange(model, exchange, state);
    });
};
