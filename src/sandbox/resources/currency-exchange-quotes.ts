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
import { nextStateOf } from '../faults/state-rules.ts';
import {
  convertNow,
  fittedAmount,
  rateOf,
  requireCurrency,
  requireFeePolicy,
} from '../ledger/amounts.ts';
import { post, requireFree, subAccountsOf, type Transfer, transfersOf } from '../ledger/ledger.ts';
import { recordUse } from '../provenance/recorder.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';
import { emit } from './events.ts';
import {
  createRepository,
  type Entity,
  idempotencyKeysOf,
  type Repository,
  type ResourceRoute,
  routesOf,
  scheduleTransition,
} from './repository.ts';

interface StoredExchangeQuote extends Entity {
  readonly source: Money;
  readonly target: Money;
  readonly fee: Money;
  /** The fee is part of `source`, else it comes on top. */
  readonly isInside: boolean;
  readonly rate: QuotedRate;
  /** From here on it cannot be executed. */
  readonly end: Ticks;
  state: CurrencyExchangeQuoteState;
  completed: Ticks | undefined;
}

export const exchangeQuotes: Repository<StoredExchangeQuote> = createRepository(
  'exchange',
  currencyExchangeQuoteStates,
);

/** What the account gives in all. */
function debitOf({ source, fee, isInside }: StoredExchangeQuote): Money {
  return isInside ? source : addMoney(source, fee);
}

/** Moves an exchange to its next state, with its money and its event. */
export function moveExchange(world: World, quote: StoredExchangeQuote, to: string): void {
  post(world, `exchange ${to}`, quote.id, transfersFor(quote, to));
  if (to === 'FAILED') recordUse(world, 'exchanges.failed');
  quote.state = to as CurrencyExchangeQuoteState;
  if (to === 'COMPLETED') quote.completed = world.stamp();
  emit(world, quote.account, 'currency-exchange-quote.updated', quote.id, ['state']);
  if (to === 'PENDING')
    scheduleTransition(
      world,
      exchangeQuotes,
      quote,
      'currencyExchangeQuote',
      { state: 'COMPLETED', delay: 1_000, behaviour: 'exchanges.outcome' },
      (state) => moveExchange(world, quote, state),
    );
}

function transfersFor(quote: StoredExchangeQuote, to: string): readonly Transfer[] {
  const { account, source, target, fee, isInside } = quote;
  const { free, held } = subAccountsOf(account);
  const debit = debitOf(quote);
  if (to === 'PENDING') return transfersOf(free, held, debit);
  if (to === 'FAILED') return transfersOf(held, free, debit);
  return [
    ...transfersOf(held, 'fx', isInside ? subtractMoney(source, fee) : source),
    ...transfersOf(held, 'fees', fee),
    ...transfersOf('fx', free, target),
  ];
}

/** Half a percent of what is sold. */
const FEE = '0.005';
const VALIDITY = 300_000_000n; // 30 s
/** Smallest amounts that are exchanged; bitcoin as it was seen to work. */
const LOWEST_BITCOIN = '0.00000100';
const LOWEST = '0.01';

/** Rates are known, unless a rule says otherwise. */
const KNOWN = { state: 'AVAILABLE', delay: 0 } as const;

type Terms = Pick<StoredExchangeQuote, 'source' | 'target' | 'fee' | 'isInside' | 'rate'>;

function requirePair(account: Account, { sell, buy }: CurrencyExchangeQuoteDraft): void {
  for (const currency of [sell, buy])
    if (!(CURRENCIES as readonly string[]).includes(currency))
      throw new ServiceRefusal('CURRENCY_UNSUPPORTED', { requestedCurrency: currency });
  if (sell === buy) throw new ServiceRefusal('CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED');
  requireCurrency(account, 'sell', sell);
  requireCurrency(account, 'buy', buy);
}

/**
 * The fee is counted on what is sold without it; what is sold is rounded up, what is bought down.
 */
function termsOf(
  world: World,
  { sell, buy, amount: { feePolicy, ...given } }: CurrencyExchangeQuoteDraft,
): Terms {
  requireFeePolicy('amount.feePolicy', feePolicy);
  const amount = fittedAmount(given);
  const isInside = feePolicy === 'INCLUSIVE';
  const rate = rateOf(world, sell, buy);
  if (!rate || nextStateOf(world, 'rates', KNOWN).state !== KNOWN.state)
    throw new ServiceRefusal('EXCHANGE_RATE_NOT_AVAILABLE');
  if (amount.currency === buy) {
    const { money: net } = convertNow(world, amount, sell, 'up');
    const fee = feeOf(net);
    return { source: isInside ? addMoney(net, fee) : net, target: amount, fee, isInside, rate };
  }
  const fee = feeOf(amount);
  const net = isInside ? subtractMoney(amount, fee) : amount;
  return { source: amount, target: convertNow(world, net, buy, 'down').money, fee, isInside, rate };
}

function feeOf(money: Money): Money {
  return multiplyMoney(money, FEE, { rounding: 'up' });
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

/** What is looked at first is a switch: it decides what a repeated call hears. */
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
      requireFree(world, quote.account, debitOf(quote));
    },
  };
  for (const check of [world.firstCheck, 'processed', 'expired', 'balance'] as const)
    checks[check]();
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

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  create(world, { account, draft, idempotencyKey }) {
    const keys = idempotencyKeysOf(world, exchangeQuotes.name, account);
    const currencyExchangeQuoteId = keys.get(idempotencyKey ?? '');
    if (currencyExchangeQuoteId !== undefined)
      throw new ServiceRefusal('DUPLICATE_CURRENCY_EXCHANGE_QUOTE', { currencyExchangeQuoteId });
    requirePair(account, draft);
    const terms = termsOf(world, draft);
    requireWorthIt(terms);
    const quote: StoredExchangeQuote = {
      id: exchangeQuotes.idOf(world),
      account,
      created: world.stamp(),
      end: ticksOfMillis(world.clock.now()) + VALIDITY,
      ...terms,
      state: 'NEW',
      completed: undefined,
    };
    requireFree(world, account, debitOf(quote));
    if (terms.isInside) recordUse(world, 'exchanges.inside');
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
    moveExchange(world, quote, 'PENDING');
    return { body: undefined };
  },
});
