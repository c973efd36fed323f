// Payment quotes and payments, as the model knows them.
import { invalid, ok, refused, type Said } from './answers.ts';
import {
  fitted,
  requireCurrency,
  requireFree,
  requireNamed,
  requirePolicy,
  requireText,
  requireWithin,
} from './amounts.ts';
import { divide, minus, plus, type Sum, sum, wire, type Wire } from './decimals.ts';
import type { Account, Entity, Line, Model } from './model.ts';
import { owned, requireLightning, touch } from './play.ts';
import type { Receiver } from './receivers.ts';

export interface PaymentQuote extends Entity {
  readonly account: Account;
  readonly receiver: Receiver;
  readonly terms: Terms;
  readonly description: string | undefined;
  readonly end: number;
  readonly minutes: number | undefined;
  payment?: Payment;
}

interface Terms {
  readonly amount: Sum;
  readonly fee: Sum;
  readonly total: Sum;
  readonly sats: Sum;
  readonly rate: string | undefined;
}

export interface Payment extends Entity {
  readonly quote: PaymentQuote;
  readonly end: (
    arrived: { readonly lines: readonly Line[]; readonly credit: Sum } | undefined,
  ) => void;
  state: string;
}

export type Spend = Wire & { readonly feePolicy?: string | undefined };

export const paymentQuotesOf = (model: Model): PaymentQuote[] =>
  model.table('payment quotes', () => []);
export const paymentsOf = (model: Model): Payment[] => model.table('payments', () => []);
const keysOf = (model: Model, { handle }: Account): Map<string, PaymentQuote> =>
  model.table(`payment quote keys/${handle}`, () => new Map());

const RESULT: Readonly<Record<string, string>> = {
  PENDING: 'PENDING',
  COMPLETED: 'SUCCESS',
  FAILED: 'FAILURE',
};

const money = ({ amount, fee, total, rate }: Terms): object => ({
  amount: wire(amount),
  totalFee: wire(fee),
  totalAmount: wire(total),
  conversionRate:
    rate === undefined
      ? undefined
      : { amount: rate, sourceCurrency: 'BTC', targetCurrency: amount.currency },
});

const showPayment = ({ id, state, quote: { terms, receiver } }: Payment): object => ({
  paymentId: id,
  state,
  result: RESULT[state],
  ...(state !== 'COMPLETED' && { completed: undefined, delivered: undefined }),
  ...money(terms),
  lightningNetworkFee: receiver.rail === 'lightning' ? wire(terms.fee) : undefined,
});

const touched = (model: Model, payment: Payment): void =>
  touch(model, payment, () => [
    {
      account: payment.quote.account,
      path: `/v1/payments/${payment.id}`,
      shown: showPayment(payment),
    },
  ]);

/** A key names one quote of an account for ever. */
export const requireFreshKey = (model: Model, account: Account, key: string | undefined): void => {
  const known = key === undefined ? undefined : keysOf(model, account).get(key);
  if (known) throw refused('DUPLICATE_PAYMENT_QUOTE', { paymentQuoteId: known.id });
};

export const requireTravelRule = ({ travelRule }: Account, isNamed: boolean): void => {
  if (travelRule && !isNamed) throw invalid('beneficiary.destinationType', 'INVALID_DATA_REQUIRED');
};

interface Wish {
  readonly source: string;
  readonly amount?: Spend | undefined;
  readonly feeOf: (sats: bigint) => bigint;
}

const withFee = (model: Model, amount: Sum, sats: Sum, fee: bigint, isExact: boolean): Terms => {
  const { currency } = amount;
  const own = model.convert({ units: fee, currency: 'BTC' }, currency, 'up');
  return {
    amount,
    fee: own,
    total: plus(amount, own),
    sats,
    rate: isExact || currency === 'BTC' ? undefined : model.rates.get(`BTC/${currency}`),
  };
};

/** The receiver names the amount. */
const asked = (
  model: Model,
  { account, asked: exact, sats }: Receiver,
  { source, feeOf }: Wish,
): Terms => {
  const isExact = account !== undefined && exact?.currency === source;
  return withFee(
    model,
    isExact ? exact! : model.convert(sats!, source, 'up'),
    sats!,
    feeOf(sats!.units),
    isExact,
  );
};

/** The sender does. */
const chosen = (
  model: Model,
  account: Account,
  { source, feeOf }: Wish,
  { feePolicy, ...wanted }: Spend,
): Terms => {
  requirePolicy(feePolicy, 'amount.feePolicy');
  requireNamed(wanted.currency, 'amount.currency');
  if (!account.currencies.includes(wanted.currency))
    throw refused('CURRENCY_UNSUPPORTED', { requestedCurrency: wanted.currency });
  const exact = fitted(wanted);
  const spend = model.convert(exact, source, 'up');
  const fee = feeOf(model.convert(spend, 'BTC', 'down').units);
  const inside = model.convert({ units: fee, currency: 'BTC' }, source, 'up');
  const isInside = feePolicy === 'INCLUSIVE';
  if (isInside && spend.units <= inside.units)
    throw refused('AMOUNT_TOO_LOW', { limit: wire(inside) });
  const amount = isInside ? minus(spend, inside) : spend;
  const sats =
    !isInside && wanted.currency === 'BTC' ? exact : model.convert(amount, 'BTC', 'down');
  if (sats.units === 0n) throw refused('AMOUNT_TOO_LOW', { limit: wire(sum('0.00000001', 'BTC')) });
  return withFee(model, amount, sats, fee, false);
};

export interface Making {
  readonly receiver: Receiver;
  readonly wish: Wish;
  readonly description: string | undefined;
  readonly minutes?: number;
  readonly least?: Sum;
}

export const makePaymentQuote = (
  model: Model,
  account: Account,
  key: string | undefined,
  { receiver, wish, description, minutes, least }: Making,
): Said => {
  receiver.check(account, false);
  requireCurrency(account, wish.source, 'sourceCurrency');
  const terms = wish.amount
    ? chosen(model, account, wish, wish.amount)
    : asked(model, receiver, wish);
  requireWithin(terms.total);
  requireFree(model, account, terms.total);
  if (least && terms.sats.units < least.units)
    throw refused('AMOUNT_TOO_LOW', { limit: wire(least) });
  const quote: PaymentQuote = {
    id: '',
    account,
    receiver,
    terms,
    description,
    minutes,
    end: model.now + 60_000,
  };
  paymentQuotesOf(model).push(quote);
  if (key !== undefined) keysOf(model, account).set(key, quote);
  const body = { ...money(terms), description, estimatedDeliveryDurationInMin: minutes };
  return ok(body, 200, ({ paymentQuoteId }: { paymentQuoteId: string }) => {
    quote.id = paymentQuoteId;
  });
};

export const lightningFee = (sats: bigint): bigint => 1n + divide(sats, 1_000n, 'up');

export const executeQuote = (
  model: Model,
  account: Account,
  found: PaymentQuote | undefined,
  outcome: { readonly state: string; readonly after: number | undefined },
): Said => {
  const quote = owned(found, (one) => one.account === account);
  const {
    receiver,
    terms: { amount, total },
    minutes = 0,
  } = quote;
  if (quote.payment) throw refused('PAYMENT_PROCESSED', { paymentId: quote.payment.id });
  if (model.now >= quote.end) throw refused('PAYMENT_QUOTE_EXPIRED');
  requireFree(model, account, total);
  if (receiver.rail === 'lightning') requireLightning(model);
  receiver.check(account, true);
  if (/^(LN_|PROCESSING_)/.test(outcome.state)) throw refused(outcome.state);
  if (
    paymentsOf(model).filter((one) => one.state === 'PENDING' && one.quote.account === account)
      .length >= 100
  )
    throw refused('TOO_MANY_TRANSACTIONS');
  const after = outcome.after ?? (receiver.account ? 0 : minutes * 60_000);
  model.post([{ from: `${account.handle}.free`, to: `${account.handle}.held`, money: total }]);
  const payment: Payment = { id: '', quote, state: 'PENDING', end: () => {} };
  model.tell(account, 'payment.created', payment);
  Object.assign(payment, { end: receiver.begin(account, amount) });
  paymentsOf(model).push(payment);
  quote.payment = payment;
  touched(model, payment);
  if (after <= 0) endPayment(model, payment, outcome.state);
  else
    model.later(after, () => {
      if (payment.state === 'PENDING') endPayment(model, payment, outcome.state);
    });
  return ok(
    () => showPayment(payment),
    payment.state === 'PENDING' ? 202 : 200,
    ({ paymentId }: { paymentId: string }) => {
      payment.id = paymentId;
    },
  );
};

export const endPayment = (model: Model, payment: Payment, state: string): void => {
  const {
    quote: {
      account,
      receiver,
      terms: { amount, fee, total, sats },
    },
  } = payment;
  const [free, held] = [`${account.handle}.free`, `${account.handle}.held`];
  payment.state = state;
  model.tell(account, 'payment.updated', payment, ['state']);
  touched(model, payment);
  if (state === 'FAILED') {
    model.post([{ from: held, to: free, money: total }]);
    return payment.end(undefined);
  }
  const { to, money: credit } = receiver.credit(amount, sats);
  const isSame = credit.currency === amount.currency;
  if (isSame) model.post([{ from: held, to, money: receiver.account ? credit : total }]);
  else
    model.post([
      { from: held, to: 'fx', money: amount },
      { from: held, to: 'fees', money: fee },
      { from: 'fx', to, money: credit },
    ]);
  const lines: readonly Line[] = isSame
    ? [{ from: free, to, money: credit }]
    : [
        { from: free, to: 'fx', money: amount },
        { from: 'fx', to, money: credit },
      ];
  payment.end({ lines, credit });
};

export const findPayment = (account: Account, found: Payment | undefined): Said =>
  ok(showPayment(owned(found, ({ quote }) => quote.account === account)));

export const spendShape = (amount: Spend | undefined): void => {
  if (amount) requireText(amount.amount, 'amount.amount');
};
