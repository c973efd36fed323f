import { compareMoney, type Money, multiplyMoney } from '../../money/index.ts';
import * as rows from '../../generated/endpoints/payment-quotes.ts';
import type { Beneficiary, OnchainTier, PaymentQuote } from '../../resources/payment-quotes.ts';
import { madeByKey, requireFresh } from './entity-store.ts';
import { type HandlerRequest, type ResourceRoute, makeRoutes } from './repository.ts';
import {
  invalidData,
  missingValue,
  notFound,
  requireOneOf,
  ServiceRefusal,
  wrongValue,
} from '../world/responses.ts';
import { convertNow, fittedAmount, requireNamed } from '../ledger/amounts.ts';
import { requireFree } from '../ledger/ledger.ts';
import { assumedTime, readAssumption, type AssumptionValue } from '../provenance/alternatives.ts';
import { textOfTicks, ticksOfMillis } from '../time/instants.ts';
import { type Account, getStore, type World } from '../world/world.ts';
import {
  findDetails,
  lightningReceiver,
  lnurlReceiver,
  onchainReceiver,
  readAddress,
  requireLightning,
} from './destinations.ts';
import {
  lightningFee,
  showPayment,
  startPayment,
  type StoredPaymentQuote,
  computeTerms,
  type Wish,
  ZERO,
} from './payments.ts';
import type { Receiver } from './receivers.ts';

function getQuotes(world: World, account: Account): Map<string, StoredPaymentQuote> {
  return getStore(world, `payment-quotes/${account.id}`, () => new Map());
}

interface Tier {
  readonly minutes: number;
  readonly fee: Money;
  readonly least: string | undefined;
}

const TIERS: Readonly<Record<string, Tier>> = {
  tier_fast: { minutes: 10, fee: { amount: '0.00002820', currency: 'BTC' }, least: undefined },
  tier_normal: { minutes: 60, fee: { amount: '0.00001128', currency: 'BTC' }, least: '0.00005000' },
  tier_slow: {
    minutes: 1_440,
    fee: { amount: '0.00000282', currency: 'BTC' },
    least: '0.00010000',
  },
};

function tierFee(world: World, { fee }: Tier): Money {
  return readAssumption(world, 'onchain.terms') === 'high' ? multiplyMoney(fee, '10') : fee;
}

/** Smallest amount that can be sent on-chain. */
const DUST: Money = { amount: '0.00000546', currency: 'BTC' };

function requireCarried(sats: Money, limit: Money): void {
  if (compareMoney(sats, limit) < 0) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit });
}

type QuoteKind = 'lightning' | 'lnurl' | 'onchain';

/**
 * Returns the key under which a quote is stored. Whether idempotency keys are shared between kinds
 * of quotes is an assumption.
 */
function keyFor(world: World, kind: QuoteKind, key: string): string {
  return readAssumption(world, 'payment-quotes.keys') === 'kind' ? `${kind} ${key}` : key;
}

/** Rejects an idempotency key that has been used before. Keys never expire. */
function requireFreshKey(
  world: World,
  { account, idempotencyKey }: HandlerRequest<unknown, unknown>,
  kind: QuoteKind,
  when: AssumptionValue<'keys.checks'>,
): void {
  if (idempotencyKey === undefined) return;
  const made = madeByKey(world, 'payment-quote', account);
  const paymentQuoteId = made.get(keyFor(world, kind, idempotencyKey));
  requireFresh(world, when, 'DUPLICATE_PAYMENT_QUOTE', { paymentQuoteId });
}

const TYPES = ['SELF', 'INDIVIDUAL', 'BUSINESS', 'UNKNOWN'];
const DESTINATION_TYPES = ['EXCHANGE_OR_PLATFORM', 'SELF_CUSTODY_WALLET'];

function requireBeneficiary({ travelRule }: Account, beneficiary: Beneficiary | undefined): void {
  requireOneOf('beneficiary.type', beneficiary?.type, TYPES);
  requireOneOf('beneficiary.destinationType', beneficiary?.destinationType, DESTINATION_TYPES);
  if (travelRule && beneficiary?.destinationType === undefined)
    throw invalidData([missingValue('beneficiary.destinationType')], {
      behaviour: 'payment-quotes.travel-rule',
    });
}

interface Making {
  readonly kind: QuoteKind;
  readonly receiver: Receiver;
  readonly wish: Wish;
  readonly description: string | undefined;
  readonly delivery?: number;
  /** Smallest amount that can be sent. */
  readonly least?: Money;
}

function make(
  world: World,
  asked: HandlerRequest<unknown, unknown>,
  { kind, receiver, wish, description, delivery, least }: Making,
): StoredPaymentQuote {
  const { account, idempotencyKey } = asked;
  const { payment: lifetime = assumedTime(world, 'payment-quotes.life') } = world.quoteLifetimes;
  receiver.check(account, false);
  const terms = computeTerms(world, account, receiver, wish);
  if (least) requireCarried(terms.sats, least);
  requireFreshKey(world, asked, kind, 'last');
  const quote: StoredPaymentQuote = {
    paymentQuoteId: world.random.uuid('payment-quote', world.random.next('payment-quote')),
    account,
    receiver,
    terms,
    description,
    delivery,
    end: ticksOfMillis(world.clock.now() + lifetime),
  };
  getQuotes(world, account).set(quote.paymentQuoteId, quote);
  if (idempotencyKey !== undefined)
    madeByKey(world, 'payment-quote', account).set(
      keyFor(world, kind, idempotencyKey),
      quote.paymentQuoteId,
    );
  return quote;
}

function show({
  paymentQuoteId,
  description,
  end,
  receiver,
  terms,
  delivery,
}: StoredPaymentQuote): PaymentQuote {
  const { amount, fee, total, rate, reward } = terms;
  return {
    paymentQuoteId,
    ...(description !== undefined && { description }),
    validUntil: textOfTicks(end),
    ...(delivery !== undefined && { estimatedDeliveryDurationInMin: delivery }),
    ...(rate && { conversionRate: rate }),
    amount,
    totalFee: fee,
    ...(receiver.rail === 'lightning' && { lightningNetworkFee: fee }),
    totalAmount: total,
    ...(reward && { reward }),
  };
}

/**
 * Returns the error for a missing amount, or for one that was passed although the invoice has its
 * own.
 */
function amountRule(isGiven: boolean): ServiceRefusal {
  return invalidData([
    isGiven
      ? wrongValue('amount', 'must be omitted: the invoice has its own amount')
      : missingValue('amount'),
  ]);
}

/** Returns the fee function for a receiver. Payments between sandbox accounts are usually free. */
function feeFor(world: World, receiver: Receiver, outside: Wish['feeOf']): Wish['feeOf'] {
  const isFree = receiver.account && readAssumption(world, 'payments.inside') === 'free';
  return isFree ? () => ZERO : outside;
}

const CHECKS: Readonly<
  Record<AssumptionValue<'payments.checks'>, (world: World, quote: StoredPaymentQuote) => void>
> = {
  processed: (world, { payment }) => {
    const isOver =
      payment?.state === 'FAILED' && readAssumption(world, 'payments.used') === 'again';
    if (payment && !isOver)
      throw new ServiceRefusal('PAYMENT_PROCESSED', { paymentId: payment.paymentId });
  },
  expired: (world, { end }) => {
    if (ticksOfMillis(world.clock.now()) >= end) throw new ServiceRefusal('PAYMENT_QUOTE_EXPIRED');
  },
  balance: (world, { account, terms }) => requireFree(world, account, terms.total),
};

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  createLightning(world, asked) {
    const {
      account,
      draft: { lnInvoice, sourceCurrency = account.defaultCurrency, amount, beneficiary },
    } = asked;
    requireFreshKey(world, asked, 'lightning', 'first');
    requireLightning(world);
    const receiver = lightningReceiver(world, lnInvoice);
    requireBeneficiary(account, beneficiary);
    if ((amount === undefined) === (receiver.sats === undefined))
      throw amountRule(amount !== undefined);
    const wish = {
      source: sourceCurrency,
      amount,
      feeOf: feeFor(world, receiver, (sats) => lightningFee(world, sats)),
    };
    return {
      body: show(
        make(world, asked, {
          kind: 'lightning',
          receiver,
          wish,
          description: receiver.description,
        }),
      ),
    };
  },
  createLnurl(world, asked) {
    const {
      draft: { lnAddressOrUrl, sourceCurrency, amount, description },
    } = asked;
    requireFreshKey(world, asked, 'lnurl', 'first');
    requireLightning(world);
    const receiver = lnurlReceiver(world, asked.account, lnAddressOrUrl, amount, description);
    const wish = {
      source: sourceCurrency,
      amount: receiver.sats ? undefined : amount,
      feeOf: feeFor(world, receiver, (sats) => lightningFee(world, sats)),
    };
    return { body: show(make(world, asked, { kind: 'lnurl', receiver, wish, description })) };
  },
  createOnchain(world, asked) {
    const {
      account,
      draft: { btcAddress, sourceCurrency, amount, description, onchainTierId, beneficiary },
    } = asked;
    requireFreshKey(world, asked, 'onchain', 'first');
    const receiver = onchainReceiver(world, btcAddress);
    requireBeneficiary(account, beneficiary);
    const tier = Object.hasOwn(TIERS, onchainTierId) ? TIERS[onchainTierId] : undefined;
    if (!tier) throw invalidData([wrongValue('onchainTierId', 'must be one of the tiers')]);
    const wish = {
      source: sourceCurrency,
      amount,
      feeOf: feeFor(world, receiver, () => tierFee(world, tier)),
    };
    const least = tier.least === undefined ? DUST : { amount: tier.least, currency: 'BTC' };
    return {
      body: show(
        make(world, asked, {
          kind: 'onchain',
          receiver,
          wish,
          description,
          delivery: tier.minutes,
          least,
        }),
      ),
    };
  },
  getLnurl: (world, { where }) => ({ body: findDetails(world, where.lnAddressOrUrl) }),
  listTiers(world, { draft: { btcAddress, amount } }) {
    readAddress(btcAddress);
    requireNamed('amount.currency', amount.currency);
    requireCarried(convertNow(world, fittedAmount(amount), 'BTC', 'down').money, DUST);
    return {
      body: Object.entries(TIERS).map(
        ([id, tier]): OnchainTier => ({
          id,
          estimatedDeliveryDurationInMin: tier.minutes,
          estimatedFee: tierFee(world, tier),
          ...(tier.least !== undefined && {
            minimumAmount: { amount: tier.least, currency: 'BTC' },
          }),
        }),
      ),
    };
  },
  execute(world, { account, where: { paymentQuoteId } }) {
    const quote = getQuotes(world, account).get(paymentQuoteId);
    if (!quote) throw notFound();
    for (const check of new Set([
      CHECKS[readAssumption(world, 'payments.checks')],
      CHECKS.processed,
      CHECKS.expired,
      CHECKS.balance,
    ]))
      check(world, quote);
    if (quote.receiver.rail === 'lightning') requireLightning(world);
    quote.receiver.check(account, true);
    const payment = startPayment(world, quote);
    return { status: payment.state === 'PENDING' ? 202 : 200, body: showPayment(payment) };
  },
});
