import { addMoney } from '../money/index.ts';
import type { CurrencyExchangeQuote } from '../resources/currency-exchange-quotes/model.ts';
import { CurrencyExchangeQuoteSchema } from '../resources/currency-exchange-quotes/schemas.ts';
import type { Deposit, DepositFee } from '../resources/deposits/model.ts';
import { DepositFeeSchema, DepositSchema } from '../resources/deposits/schemas.ts';
import type { Payout } from '../resources/payouts/model.ts';
import { PayoutSchema } from '../resources/payouts/schemas.ts';
import { convert, feeOf, moneyOf, rateOf } from './amounts.ts';
import { brokenSum, make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { after, idOf, type Origin } from './origin.ts';

/**
 * Makes a payout: NEW, of 25.00 EUR to the first bank payment method. Its times come with its
 * states.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a payout cannot have
 * @example
 * const sent = makePayout({ state: 'COMPLETED' });
 * console.log(sent.initiated, sent.completed); // 2026-01-05T09:00:01+00:00 2026-01-05T09:00:03+00:00
 */
export function makePayout(members: Members<Payout> = {}, options: MakeOptions = {}): Payout {
  return make(
    {
      name: 'makePayout',
      shape: PayoutSchema,
      usual: usualPayout,
      broken: (value) =>
        notYet(value, {
          NEW: ['initiated', 'completed', 'transactionId'],
          INITIATED: ['completed'],
        }),
    },
    members,
    options,
  );
}

function usualPayout(
  { state = 'NEW', amount, created, initiated, fee }: Members<Payout>,
  { index, created: now, id }: Origin,
): Payout {
  const asked = moneyOf(amount, '25.00');
  const begun = initiated ?? after(created ?? now, 1_000);
  const isBegun = /^(INITIATED|COMPLETED|FAILED|REVERSED)$/.test(state);
  const isDone = /^(COMPLETED|REVERSED)$/.test(state);
  return {
    id: id('payout'),
    state,
    created: now,
    paymentMethodId: idOf('bankPaymentMethod'),
    amount: asked,
    fee: { ...moneyOf(fee, '0.35', asked.currency), feePolicy: 'EXCLUSIVE' },
    reference: `PO-${index}`,
    ...(isBegun && { initiated: begun, transactionId: id('payoutTransaction') }),
    ...(isDone && { completed: after(begun, 2_000) }),
  };
}

/**
 * Makes a deposit: NEW, of 50.00 EUR; with a reason once it has FAILED.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @param options which one
 * @throws InputError naming the members that such a deposit cannot have
 * @example
 * const failed = makeDeposit({ state: 'FAILED' });
 */
export function makeDeposit(members: Members<Deposit> = {}, options: MakeOptions = {}): Deposit {
  return make(
    {
      name: 'makeDeposit',
      shape: DepositSchema,
      usual(chosen, { id }) {
        const { state = 'NEW' } = chosen;
        const { total, ...terms } = depositTerms(chosen);
        return {
          id: id('deposit'),
          ...terms,
          totalAmount: total,
          state,
          ...(state === 'FAILED' && { failureReason: 'DECLINED_BY_BANK' }),
        };
      },
      broken: (value) => [
        ...notYet(value, {
          NEW: ['failureReason'],
          PENDING: ['failureReason'],
          COMPLETED: ['failureReason'],
        }),
        brokenSum(['totalAmount', value.totalAmount], ['amount', value.amount], ['fee', value.fee]),
      ],
    },
    members,
    options,
  );
}

function depositTerms({
  amount,
  fee,
}: Members<Pick<DepositFee, 'amount' | 'fee'>>): Pick<DepositFee, 'amount' | 'fee' | 'total'> {
  const asked = moneyOf(amount, '50.00');
  const usualFee = feeOf(asked, '0.001');
  const cost = moneyOf(fee, usualFee.amount, usualFee.currency);
  const isSame = cost.currency === asked.currency;
  return { amount: asked, fee: cost, total: isSame ? addMoney(asked, cost) : asked };
}

/**
 * Makes the estimate of a deposit's fee: of 50.00 EUR, settled at once.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @throws InputError naming the members that such an estimate cannot have
 * @example
 * const estimate = makeDepositFee({ amount: { amount: '100.00' } });
 * console.log(estimate.total.amount); // '100.10'
 */
export function makeDepositFee(members: Members<DepositFee> = {}): DepositFee {
  return make(
    {
      name: 'makeDepositFee',
      shape: DepositFeeSchema,
      usual: (chosen) => ({ ...depositTerms(chosen), feePercent: '0.1', feeFixed: '0.00' }),
      broken: ({ amount, fee, total }) => [
        brokenSum(['total', total], ['amount', amount], ['fee', fee]),
      ],
    },
    members,
    {},
  );
}

/**
 * Makes a quote of an exchange: NEW, of 0.001 BTC for EUR, valid for 30 seconds. The time of its
 * end is there once it is COMPLETED.
 *
 * @param members what is to be chosen; rate, target and fee fit the source
 * @param options which one, and when
 * @throws InputError naming the members that such a quote cannot have
 * @example
 * const done = makeCurrencyExchangeQuote({ state: 'COMPLETED', target: { currency: 'USD' } });
 */
export function makeCurrencyExchangeQuote(
  members: Members<CurrencyExchangeQuote> = {},
  options: MakeOptions = {},
): CurrencyExchangeQuote {
  return make(
    {
      name: 'makeCurrencyExchangeQuote',
      shape: CurrencyExchangeQuoteSchema,
      usual: usualExchange,
      broken: (value) => [
        ...notYet(value, { NEW: ['completed'], PENDING: ['completed'] }),
        value.source.currency === value.target.currency && [
          'target.currency',
          'must be another than that of source',
        ],
      ],
    },
    members,
    options,
  );
}

function usualExchange(
  chosen: Members<CurrencyExchangeQuote>,
  { id, created: now }: Origin,
): CurrencyExchangeQuote {
  const { state = 'NEW', created = now } = chosen;
  const sold = chosen.source?.currency ?? (chosen.target?.currency === 'BTC' ? 'EUR' : 'BTC');
  const source = moneyOf(chosen.source, sold === 'BTC' ? '0.00100000' : '10.00', sold);
  const bought = chosen.target?.currency ?? (sold === 'EUR' ? 'BTC' : 'EUR');
  const conversionRate = rateOf(sold, bought, chosen.conversionRate);
  return {
    id: id('currencyExchangeQuote'),
    created,
    validUntil: after(created, 30_000),
    source,
    target: sold === bought ? source : convert(source, conversionRate),
    fee: feeOf(source, '0.005'),
    conversionRate,
    state,
    ...(state === 'COMPLETED' && { completed: after(created, 2_000) }),
  };
}
