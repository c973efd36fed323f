import type { Ticks } from '../../core/time/index.ts';
import { addMoney, subtractMoney } from '../../money/index.ts';
import type { ConversionRate, WireMoney } from '../../resources/amounts/model.ts';
import {
  exchangeQuoteLife,
  type ExchangeQuoteState,
} from '../../resources/currency-exchange-quotes/states.ts';
import { book, type Move, potsOf } from '../ledger/ledger.ts';
import { moving } from '../ledger/transfer.ts';
import type { World } from '../world/world.ts';
import { emit } from './events.ts';
import { decide, type Kept, type Shelf, shelfOf } from './repository.ts';

export interface StoredExchangeQuote extends Kept {
  readonly source: WireMoney;
  readonly target: WireMoney;
  readonly fee: WireMoney;
  /** The fee is part of `source`, else it comes on top. */
  readonly isInside: boolean;
  readonly rate: ConversionRate;
  /** From here on it cannot be executed. */
  readonly end: Ticks;
  state: ExchangeQuoteState;
  completed: Ticks | undefined;
}

export const exchangeShelf: Shelf<StoredExchangeQuote> = shelfOf('exchange', exchangeQuoteLife);

/** What the account gives in all. */
export function debitOf({ source, fee, isInside }: StoredExchangeQuote): WireMoney {
  return isInside ? source : addMoney(source, fee);
}

/** Moves an exchange along its life, with its money and its event. */
export function moveExchange(world: World, quote: StoredExchangeQuote, to: string): void {
  book(world, `exchange ${to}`, quote.id, movesOf(quote, to));
  quote.state = to as ExchangeQuoteState;
  if (to === 'COMPLETED') quote.completed = world.stamp();
  emit(world, quote.account, 'currency-exchange-quote.updated', quote.id, ['state']);
  if (to === 'PENDING')
    decide(world, exchangeShelf, quote, 'exchange', { state: 'COMPLETED', after: 1_000 }, (state) =>
      moveExchange(world, quote, state),
    );
}

function movesOf(quote: StoredExchangeQuote, to: string): readonly Move[] {
  const { account, source, target, fee, isInside } = quote;
  const { free, held } = potsOf(account);
  const debit = debitOf(quote);
  if (to === 'PENDING') return moving(free, held, debit);
  if (to === 'FAILED') return moving(held, free, debit);
  return [
    ...moving(held, 'fx', isInside ? subtractMoney(source, fee) : source),
    ...moving(held, 'fees', fee),
    ...moving('fx', free, target),
  ];
}
