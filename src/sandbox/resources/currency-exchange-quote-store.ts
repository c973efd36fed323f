import { addMoney, type Money, subtractMoney } from '../../money/index.ts';
import type { Ticks } from '../../core/time.ts';
import type { QuotedRate } from '../../resources/amounts.ts';
import {
  currencyExchangeQuoteStates,
  type CurrencyExchangeQuoteState,
} from '../../resources/currency-exchange-quotes.ts';
import { post, type Transfer, subAccountsOf } from '../ledger/ledger.ts';
import { transfersOf } from '../ledger/transfer.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { World } from '../world/world.ts';
import { emit } from './events.ts';
import {
  scheduleTransition,
  type Entity,
  type Repository,
  createRepository,
} from './repository.ts';

export interface StoredExchangeQuote extends Entity {
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
export function debitOf({ source, fee, isInside }: StoredExchangeQuote): Money {
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
