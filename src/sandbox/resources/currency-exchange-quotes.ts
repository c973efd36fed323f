import type { Ticks } from '../../core/time.ts';
import * as rows from '../../generated/endpoints/currency-exchange-quotes.ts';
import {
  addMoney,
  compareMoney,
  type Money,
  multiplyMoney,
  subtractMoney,
} from '../../money/index.ts';
import { CURRENCIES, type QuotedRate } from '../../resources/amounts.ts';
import {
  type CurrencyExchangeQuote,
  type CurrencyExchangeQuoteDraft,
  type CurrencyExchangeQuoteState,
  currencyExchangeQuoteStates,
} from '../../resources/currency-exchange-quotes.ts';
import { chooseNextState } from '../faults/rules.ts';
import {
  convertNow,
  fittedAmount,
  findRate,
  requireCurrency,
  requireFeePolicy,
} from '../ledger/amounts.ts';
import { requireFree, listSubAccounts, type Transfer, listTransfers } from '../ledger/ledger.ts';
import { assumedTime, readAssumption, type AssumptionValue } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';
import { type Entity, EntityStore, madeByKey, requireFresh } from './entity-store.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

type FeePlace = AssumptionValue<'exchanges.inside' | 'exchanges.on-top'>;

interface StoredExchangeQuote extends Entity {
  readonly source: Money;
  readonly target: Money;
  readonly fee: Money;
  /**
   * Side of the exchange that includes the fee. With `apart`, the fee is charged in addition to
   * `source`.
   */
  readonly feePlace: FeePlace;
  readonly rate: QuotedRate;
  /** Time when the quote expires. */
  readonly end: Ticks;
  state: CurrencyExchangeQuoteState;
  completed: Ticks | undefined;
}

export const exchangeQuotes: EntityStore<StoredExchangeQuote> =
  new EntityStore<StoredExchangeQuote>({
    name: 'exchange',
    subject: 'currencyExchangeQuote',
    states: currencyExchangeQuoteStates,
    event: 'currency-exchange-quote.updated',
    transfers: transfersFor,
    enter(world, quote) {
      if (quote.state === 'FAILED') recordUse(world, 'exchanges.failed');
      if (quote.state === 'COMPLETED') quote.completed = world.stamp();
    },
    follow: {
      PENDING: (world) => ({
        state: 'COMPLETED',
        delay: assumedTime(world, 'exchanges.outcome'),
        behaviour: 'exchanges.outcome',
      }),
    },
  });

function computeDebit({ source, fee, feePlace }: StoredExchangeQuote): Money {
  return feePlace === 'apart' ? addMoney(source, fee) : source;
}

function transfersFor(world: World, quote: StoredExchangeQuote, to: string): readonly Transfer[] {
  const { account, source, target, fee, feePlace } = quote;
  const { free, held } = listSubAccounts(account);
  const debit = computeDebit(quote);
  if (to === 'PENDING') return listTransfers(free, held, debit);
  const isKept = feePlace !== 'target' && readAssumption(world, 'exchanges.failed') === 'fee-kept';
  if (to === 'FAILED' && isKept)
    return [
      ...listTransfers(held, free, subtractMoney(debit, fee)),
      ...listTransfers(held, 'fees', fee),
    ];
  if (to === 'FAILED') return listTransfers(held, free, debit);
  if (feePlace === 'target')
    return [
      ...listTransfers(held, 'fx', source),
      ...listTransfers('fx', 'fees', fee),
      ...listTransfers('fx', free, subtractMoney(target, fee)),
    ];
  return [
    ...listTransfers(held, 'fx', feePlace === 'source' ? subtractMoney(source, fee) : source),
    ...listTransfers(held, 'fees', fee),
    ...listTransfers('fx', free, target),
  ];
}

const FEES = { '0.5-percent': '0.005', none: '0', '0.9-percent': '0.009' } as const;
/**
 * Smallest amounts that can be exchanged. The bitcoin minimum was observed in the service, and the
 * other one is a guess.
 */
const LOWEST_BITCOIN = '0.00000100';
const LOWEST = '0.01';

/** Exchange rates are available unless a fault rule changes that. */
const KNOWN = { state: 'AVAILABLE', delay: 0 } as const;

type Terms = Pick<StoredExchangeQuote, 'source' | 'target' | 'fee' | 'feePlace' | 'rate'>;

function requirePair(account: Account, { sell, buy }: CurrencyExchangeQuoteDraft): void {
  for (const currency of [sell, buy])
    if (!(CURRENCIES as readonly string[]).includes(currency))
      throw new ServiceRefusal('CURRENCY_UNSUPPORTED', { requestedCurrency: currency });
  if (sell === buy) throw new ServiceRefusal('CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED');
  requireCurrency(account, 'sell', sell);
  requireCurrency(account, 'buy', buy);
}

/**
 * Computes both amounts and the fee of an exchange. The fee and the sold amount are rounded up, and
 * the bought amount is rounded down.
 */
function computeTerms(
  world: World,
  { sell, buy, amount: { feePolicy, ...given } }: CurrencyExchangeQuoteDraft,
): Terms {
  requireFeePolicy('amount.feePolicy', feePolicy);
  const amount = fittedAmount(given);
  const feePlace = readAssumption(
    world,
    feePolicy === 'INCLUSIVE' ? 'exchanges.inside' : 'exchanges.on-top',
  );
  const rate = findRate(world, sell, buy);
  if (!rate || chooseNextState(world, 'rates', KNOWN).state !== KNOWN.state)
    throw new ServiceRefusal('EXCHANGE_RATE_NOT_AVAILABLE');
  const isBought = amount.currency === buy;
  if (feePlace === 'target') {
    const target = isBought ? amount : convertNow(world, amount, buy, 'down').money;
    const source = isBought ? convertNow(world, amount, sell, 'up').money : amount;
    return { source, target, fee: computeFee(world, target), feePlace, rate };
  }
  const sold = isBought ? convertNow(world, amount, sell, 'up').money : amount;
  const fee = computeFee(world, sold);
  const net = !isBought && feePolicy === 'INCLUSIVE' ? subtractMoney(sold, fee) : sold;
  const source = feePlace === 'source' ? addMoney(net, fee) : net;
  const target = isBought ? amount : convertNow(world, net, buy, 'down').money;
  return { source, target, fee, feePlace, rate };
}

function computeFee(world: World, money: Money): Money {
  return multiplyMoney(money, FEES[readAssumption(world, 'exchanges.fee')], { rounding: 'up' });
}

function requireWorthIt({ source, target }: Terms): void {
  for (const { amount, currency } of [source, target])
    if (
      compareMoney(
        { amount, currency },
        { amount: currency === 'BTC' ? LOWEST_BITCOIN : LOWEST, currency },
      ) < 0
    )
      throw new ServiceRefusal('CURRENCY_EXCHANGE_AMOUNT_TOO_LOW');
}

/**
 * Rejects execution of a quote that has been used, has expired or can't be paid for. The order of
 * these checks is an assumption, because it determines the error.
 */
function requireExecutable(world: World, quote: StoredExchangeQuote): void {
  const checks = {
    processed() {
      if (quote.state !== 'NEW') throw new ServiceRefusal('CURRENCY_EXCHANGE_QUOTE_PROCESSED');
    },
    expired() {
      if (ticksOfMillis(world.clock.now()) >= quote.end)
        throw new ServiceRefusal('CURRENCY_EXCHANGE_QUOTE_EXPIRED');
    },
    balance() {
      requireFree(world, quote.account, computeDebit(quote));
    },
  };
  const first = readAssumption(world, 'payments.checks');
  for (const check of [first, 'processed', 'expired', 'balance'] as const) checks[check]();
}

function show({
  id,
  created,
  end,
  source,
  target,
  fee,
  rate,
  state,
  completed,
}: StoredExchangeQuote): CurrencyExchangeQuote {
  return {
    id,
    created: textOfTicks(created),
    validUntil: textOfTicks(end),
    source,
    target,
    fee,
    conversionRate: rate,
    state,
    ...(completed !== undefined && { completed: textOfTicks(completed) }),
  };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft, idempotencyKey }) {
    const keys = madeByKey(world, 'exchange', account);
    const made = { currencyExchangeQuoteId: keys.get(idempotencyKey ?? '') };
    requireFresh(world, 'first', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE', made);
    requirePair(account, draft);
    const terms = computeTerms(world, draft);
    requireWorthIt(terms);
    const quote: StoredExchangeQuote = {
      id: exchangeQuotes.newId(world),
      account,
      created: world.stamp(),
      end: ticksOfMillis(world.clock.now() + assumedTime(world, 'exchanges.life')),
      ...terms,
      state: 'NEW',
      completed: undefined,
    };
    if (readAssumption(world, 'payment-quotes.balance') === 'both')
      requireFree(world, account, computeDebit(quote));
    requireFresh(world, 'last', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE', made);
    if (draft.amount.feePolicy === 'INCLUSIVE') recordUse(world, 'exchanges.inside');
    exchangeQuotes.add(world, quote);
    if (idempotencyKey !== undefined) keys.set(idempotencyKey, quote.id);
    return { body: show(quote) };
  },
  get: (world, { account, where: { quoteId } }) => ({
    body: show(exchangeQuotes.own(world, account, quoteId)),
  }),
  execute(world, { account, where: { quoteId } }) {
    const quote = exchangeQuotes.own(world, account, quoteId);
    requireExecutable(world, quote);
    exchangeQuotes.move(world, quote, 'PENDING');
    return { body: undefined };
  },
});
