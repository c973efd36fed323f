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
  const amount = isSame ? asked : convertNow(world, sats, source, 'up').money;
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
  const spend = convertNow(world, fittedAmount(wanted), source, 'up').money;
  const fee = feeOf(convertNow(world, spend, 'BTC', 'down').money);
  if (feePolicy !== 'INCLUSIVE') return deliveryTerms(world, spend, wanted, fee);
  const inside = convertNow(world, fee, source, 'up').money;
  if (compareMoney(spend, inside) <= 0)
    throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: inside });
  return deliveryTerms(world, subtractMoney(spend, inside), undefined, fee);
}

/** Bitcoin that was asked for travels as it was; everything else is converted, down. */
function deliveryTerms(world: World, amount: Money, wanted: Money | undefined, fee: Money): Terms {
  const sats =
    wanted?.currency === 'BTC'
      ? roundMoney(wanted)
      : convertNow(world, amount, 'BTC', 'down').money;
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
  const fee = convertNow(world, networkFee, currency, 'up').money;
  const rate = isSame || currency === 'BTC' ? undefined : rateOf(world, 'BTC', currency);
  return { amount, fee, total: addMoney(amount, fee), sats, rate };
}

/** No bitcoin at all. */
export const ZERO: Money = { amount: '0.00000000', currency: 'BTC' };
const ONE_SAT: Money = { amount: '0.00000001', currency: 'BTC' };

/** What Lightning takes: a satoshi and a thousandth, rounded up. */
export function lightningFee(sats: Money): Money {
  return addMoney(ONE_SAT, multiplyMoney(sats, '0.001', { rounding: 'up', digits: 8 }));
}
