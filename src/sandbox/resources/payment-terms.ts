import {
  addMoney,
  compareMoney,
  isSameMoney,
  type Money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
} from '../../money/index.ts';
import type { QuotedRate, SpendAmount } from '../../resources/amounts.ts';
import { ServiceRefusal } from '../world/responses.ts';
import {
  convertNow,
  fittedAmount,
  rateOf,
  requireCurrency,
  requireFeePolicy,
  requireNamed,
  requireWithinLimit,
} from '../ledger/amounts.ts';
import { requireFree } from '../ledger/ledger.ts';
import { assumptionOf } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { Account, World } from '../world/world.ts';
import type { Receiver } from './receivers.ts';

/** What a payment costs. All amounts but `sats` are in the sender's currency. */
export interface Terms {
  readonly amount: Money;
  readonly fee: Money;
  readonly total: Money;
  /** What travels. */
  readonly sats: Money;
  readonly rate: QuotedRate | undefined;
  /** What the sender gets back when it has arrived. */
  readonly reward?: Money | undefined;
}

/** What the caller asked for. */
export interface Wish {
  readonly source: string;
  readonly amount?: SpendAmount | undefined;
  /** Fee for so much that travels, both in BTC. */
  feeOf(sats: Money): Money;
}

/** Works out what a payment costs, and refuses what the account cannot spend. */
export function termsOf(world: World, account: Account, receiver: Receiver, wish: Wish): Terms {
  recordUse(world, receiver.account ? 'payments.inside' : 'payments.fees');
  if (account.reward !== undefined) recordUse(world, 'payments.rewards');
  requireCurrency(account, 'sourceCurrency', wish.source);
  const terms = wish.amount
    ? chosenTerms(world, account, wish as Wish & { readonly amount: SpendAmount })
    : receiverTerms(world, receiver, wish);
  requireWithinLimit(terms.total);
  if (assumptionOf(world, 'payment-quotes.balance') === 'both')
    requireFree(world, account, terms.total);
  return {
    ...terms,
    reward:
      account.reward === undefined
        ? undefined
        : multiplyMoney(terms.amount, account.reward, { rounding: 'down' }),
  };
}

/**
 * The receiver names the amount; another account is paid exactly that where the currencies are the
 * same.
 */
function receiverTerms(
  world: World,
  { account, asked, sats = ZERO }: Receiver,
  { source, feeOf }: Wish,
): Terms {
  const isSame = account !== undefined && asked?.currency === source;
  const amount = isSame ? asked : convert(world, sats, source, 'up');
  return withFee(world, amount, sats, feeOf(sats), isSame);
}

function chosenTerms(
  world: World,
  account: Account,
  { source, amount: { feePolicy, ...wanted }, feeOf }: Wish & { readonly amount: SpendAmount },
): Terms {
  requireFeePolicy('amount.feePolicy', feePolicy);
  requireNamed('amount.currency', wanted.currency);
  if (!account.currencies.includes(wanted.currency))
    throw new ServiceRefusal('CURRENCY_UNSUPPORTED', { requestedCurrency: wanted.currency });
  const spend = convert(world, fittedAmount(wanted), source, 'up');
  const fee = feeOf(convert(world, spend, 'BTC', 'down'));
  if (feePolicy !== 'INCLUSIVE') return deliveryTerms(world, spend, wanted, fee);
  const inside = convert(world, fee, source, 'up');
  if (compareMoney(spend, inside) <= 0)
    throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: inside });
  return deliveryTerms(world, subtractMoney(spend, inside), undefined, fee);
}

/** Bitcoin that was asked for travels as it was; everything else is converted, down. */
function deliveryTerms(world: World, amount: Money, wanted: Money | undefined, fee: Money): Terms {
  const sats =
    wanted?.currency === 'BTC' ? roundMoney(wanted) : convert(world, amount, 'BTC', 'down');
  if (isSameMoney(sats, ZERO)) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: ONE_SAT });
  return withFee(world, amount, sats, fee, false);
}

function withFee(
  world: World,
  amount: Money,
  sats: Money,
  networkFee: Money,
  isSame: boolean,
): Terms {
  const { currency } = amount;
  const fee = convert(world, networkFee, currency, 'up');
  const rate = isSame || currency === 'BTC' ? undefined : rateOf(world, 'BTC', currency);
  return { amount, fee, total: addMoney(amount, fee), sats, rate };
}

/** No bitcoin at all. */
export const ZERO: Money = { amount: '0.00000000', currency: 'BTC' };
const ONE_SAT: Money = { amount: '0.00000001', currency: 'BTC' };

/** A fixed part, and a share of what is sent. */
const LIGHTNING_FEES = {
  thousandth: { fixed: ONE_SAT, share: '0.001' },
  none: { fixed: ZERO, share: '0' },
  percent: { fixed: { amount: '0.00000010', currency: 'BTC' }, share: '0.01' },
} as const;

/** What Lightning takes, rounded up. */
export function lightningFee(world: World, sats: Money): Money {
  const { fixed, share } = LIGHTNING_FEES[assumptionOf(world, 'payments.fees')];
  return addMoney(fixed, multiplyMoney(sats, share, { rounding: 'up', digits: 8 }));
}

/** The same value in another currency; debits are rounded up and credits down, unless assumed otherwise. */
function convert(world: World, money: Money, to: string, rounding: 'up' | 'down'): Money {
  const isNearest = assumptionOf(world, 'payment-quotes.rounding') === 'nearest';
  return convertNow(world, money, to, isNearest ? 'half-even' : rounding).money;
}
