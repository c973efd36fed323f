import fc from 'fast-check';
import { invalid, ok, refused, unknown } from './answers.ts';
import { fitted, requireNamed, requireText } from './amounts.ts';
import { asking, command, type Kind, type Drawn } from './command.ts';
import { sum, wire, type Wire } from './decimals.ts';
import * as drawn from './drawn.ts';
import { quotesOf } from './invoices.ts';
import type { Account, Model } from './model.ts';
import {
  endPayment,
  executeQuote,
  findPayment,
  lightningFee,
  makePaymentQuote,
  paymentQuotesOf,
  paymentsOf,
  requireFreshKey,
  requireTravelRule,
  type Spend,
  spendShape,
} from './payments.ts';
import { ask, during, NOBODY, outside, pick, type Play } from './play.ts';
import {
  toAnybody,
  toInvoice,
  toName,
  toOutside,
  toRequest,
  type Outside,
  outsideOf,
  type Receiver,
} from './receivers.ts';
import { requestsOf } from './receives.ts';

const { anyCurrency, at, caller, key, money, spend } = drawn;

/** A text to pay: of somebody outside, of an invoice, of a request, or none at all. */
interface Payable {
  readonly text: string;
  readonly isForeign?: boolean;
  readonly hasAmount: boolean;
  readonly receiver?: Receiver;
}

const payablesOf = (model: Model): readonly Payable[] => [
  ...outsideOf(model).map((outside) => ({
    text: outside.text,
    isForeign: outside.network !== 'testnet',
    hasAmount: outside.msat !== undefined,
    receiver: toOutside(model, outside),
  })),
  ...quotesOf(model)
    .filter(({ text }) => text !== '')
    .map((quote) => ({ text: quote.text, hasAmount: true, receiver: toInvoice(model, quote) })),
  ...requestsOf(model)
    .filter(({ bolt11 }) => bolt11)
    .map((request) => ({
      text: request.bolt11!.text,
      hasAmount: request.bolt11!.sats !== undefined,
      receiver: toRequest(model, request, 'bolt11'),
    })),
];

const feeOf = ({ account }: Receiver, outsideFee: (sats: bigint) => bigint) =>
  account ? () => 0n : outsideFee;

const fitsAmount = fc.oneof(
  { weight: 15, arbitrary: fc.constant(true) },
  { weight: 1, arbitrary: fc.constant(false) },
);
const lightning = fc.record({
  ...caller,
  at,
  key,
  source: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(undefined, 'BTC') },
    { weight: 2, arbitrary: anyCurrency },
  ),
  spend,
  fitsAmount,
  travels: fc.boolean(),
});

const TIERS: Readonly<Record<string, { minutes: number; sats: bigint; least: string }>> = {
  tier_fast: { minutes: 10, sats: 2_820n, least: '0.00000546' },
  tier_normal: { minutes: 60, sats: 1_128n, least: '0.00005' },
  tier_slow: { minutes: 1_440, sats: 282n, least: '0.0001' },
};

const NAMES: Readonly<
  Record<
    string,
    { text: string; least: string; most: string; comment?: number; isReached: boolean }
  >
> = {
  'ada@wallet.example': {
    text: 'Pay Ada',
    least: '0.00000001',
    most: '0.005',
    comment: 120,
    isReached: true,
  },
  'ben@wallet.example': { text: 'Pay Ben', least: '0.00001', most: '0.001', isReached: true },
  'lost@wallet.example': {
    text: 'Pay nobody',
    least: '0.00000001',
    most: '0.005',
    isReached: false,
  },
};

const nameOf = (
  model: Model,
  address: string,
): {
  text: string;
  least: string;
  most: string;
  comment?: number;
  isReached: boolean;
  account?: Account;
} => {
  if (NAMES[address]) return NAMES[address];
  const [handle = '', domain] = address.split('@');
  const account = domain === 'sandbox.invalid' ? model.accounts.get(handle) : undefined;
  if (!account || account.isPrivate) throw unknown();
  return {
    text: `Pay ${handle}`,
    least: '0.00000001',
    most: '0.02',
    comment: 200,
    isReached: true,
    account,
  };
};

const lnurlReceiver = (
  model: Model,
  payer: Account,
  {
    lnAddressOrUrl,
    amount: given,
    description,
  }: { lnAddressOrUrl: string; amount: Wire; description?: string },
): Receiver => {
  const { comment, least, most, isReached, account } = nameOf(model, lnAddressOrUrl);
  if (description !== undefined && description.length > (comment ?? 0))
    throw invalid(
      'description',
      comment === undefined ? 'INVALID_DATA_VALUE' : 'INVALID_DATA_MAXLENGTH',
    );
  requireNamed(given.currency, 'amount.currency');
  const amount = fitted(given);
  const sats = model.convert(amount, 'BTC', 'up');
  if (sats.units < sum(least, 'BTC').units)
    throw refused('AMOUNT_TOO_LOW', { limit: wire(sum(least, 'BTC')) });
  if (sats.units > sum(most, 'BTC').units)
    throw refused('AMOUNT_TOO_HIGH', { limit: wire(sum(most, 'BTC')) });
  if (!account) return toAnybody('lightning', isReached);
  if (account === payer) throw refused('SELF_PAYMENT_NOT_ALLOWED');
  if (!account.canReceive) throw refused('INVALID_RECIPIENT');
  const taken = account.currencies.includes(amount.currency)
    ? amount
    : model.convert(amount, account.home, 'up');
  return toName(model, account, taken, description);
};

const names = fc.constantFrom(
  'ada@wallet.example',
  'ada@wallet.example',
  'ben@wallet.example',
  'lost@wallet.example',
  'shop@sandbox.invalid',
  'cafe@sandbox.invalid',
  'trip@sandbox.invalid',
  'mute@sandbox.invalid',
  'who@wallet.example',
);
const beneficiary = (travels: boolean): object =>
  travels ? { beneficiary: { destinationType: 'SELF_CUSTODY_WALLET' } } : {};

const quoteLightning = (
  play: Play,
  given: Drawn & {
    at: number;
    key: string | undefined;
    source: string | undefined;
    spend: Spend;
    fitsAmount: boolean;
    travels: boolean;
  },
): Promise<void> => {
  const { account, as } = asking(play, given);
  const { model } = play;
  const payable = pick(payablesOf(model), given.at) ?? { text: 'lntb1nothing', hasAmount: false };
  const amount = payable.hasAmount === given.fitsAmount ? undefined : given.spend;
  const body = {
    lnInvoice: payable.text,
    ...(given.source && { sourceCurrency: given.source }),
    ...(amount && { amount }),
    ...beneficiary(given.travels),
  };
  return ask(
    play,
    { account, as, method: 'POST', path: '/v1/payment-quotes/lightning', body, key: given.key },
    {
      shape() {
        spendShape(amount);
        if (payable.hasAmount === (amount !== undefined))
          throw invalid('amount', amount ? 'INVALID_DATA_VALUE' : 'INVALID_DATA_REQUIRED');
      },
      answer() {
        requireFreshKey(model, account, given.key);
        const { receiver } = payable;
        if (!receiver || payable.isForeign)
          throw refused('INVALID_LN_INVOICE', { activeNetwork: 'testnet' });
        requireTravelRule(account, given.travels);
        const wish = {
          source: given.source ?? account.home,
          amount,
          feeOf: feeOf(receiver, lightningFee),
        };
        return makePaymentQuote(model, account, given.key, {
          receiver,
          wish,
          description: receiver.description,
        });
      },
    },
  );
};

const onchain = fc.record({
  ...caller,
  at,
  key,
  source: anyCurrency,
  spend,
  tier: fc.constantFrom('tier_fast', 'tier_fast', 'tier_normal', 'tier_slow', 'tier_none'),
  travels: fc.boolean(),
});

const quoteOnchain = (
  play: Play,
  given: Drawn & {
    at: number;
    key: string | undefined;
    source: string;
    spend: Spend;
    tier: string;
    travels: boolean;
  },
): Promise<void> => {
  const { account, as } = asking(play, given);
  const { model } = play;
  const ways = [undefined, ...requestsOf(model).filter((request) => request.onchain)];
  const request = ways[given.at % ways.length];
  const isAddress = given.at % 13 !== 12;
  const btcAddress = !isAddress
    ? 'tb1nothing'
    : (request?.onchain?.text ?? play.real.sandbox.payer.createAddress());
  const body = {
    btcAddress,
    sourceCurrency: given.source,
    amount: given.spend,
    onchainTierId: given.tier,
    description: 'tea',
    ...beneficiary(given.travels),
  };
  return ask(
    play,
    { account, as, method: 'POST', path: '/v1/payment-quotes/onchain', body, key: given.key },
    {
      shape: () => spendShape(given.spend),
      answer() {
        requireFreshKey(model, account, given.key);
        if (!isAddress) throw refused('INVALID_BITCOIN_ADDRESS');
        const receiver = request ? toRequest(model, request, 'onchain') : toAnybody('onchain');
        requireTravelRule(account, given.travels);
        const tier = TIERS[given.tier];
        if (!tier) throw invalid('onchainTierId');
        const wish = {
          source: given.source,
          amount: given.spend,
          feeOf: feeOf(receiver, () => tier.sats),
        };
        return makePaymentQuote(model, account, given.key, {
          receiver,
          wish,
          description: 'tea',
          minutes: tier.minutes,
          least: sum(tier.least, 'BTC'),
        });
      },
    },
  );
};

export const paymentCommands: readonly Kind[] = [
  command(
    'somebody asks',
    fc.record({
      msat: fc.constantFrom(
        undefined,
        undefined,
        '1000',
        '1500',
        '25000000',
        '120000000',
        '900000000',
      ),
      expirySeconds: fc.constantFrom(5, 600, 3_600),
      route: fc.constantFrom<Outside['route']>(...Array<'good'>(8).fill('good'), 'none', 'lost'),
      network: fc.constantFrom(...Array<string>(12).fill('testnet'), 'mainnet'),
    }),
    async ({ model, real }, { msat, expirySeconds, route, network }) => {
      const text = real.sandbox.payer.createBolt11({
        ...(msat && { msat }),
        expirySeconds,
        route,
        network: network as 'testnet',
      });
      const end = model.now - (model.now % 1_000) + expirySeconds * 1_000;
      outsideOf(model).push({
        text,
        msat: msat === undefined ? undefined : BigInt(msat),
        route,
        network,
        end,
        standing: 'open',
      });
    },
  ),
  command('quote lightning', lightning, quoteLightning),
  command('quote lightning', lightning, quoteLightning),
  command('quote onchain', onchain, quoteOnchain),
  command(
    'quote lnurl',
    fc.record({
      ...caller,
      key,
      name: names,
      source: anyCurrency,
      money,
      description: fc.constantFrom(undefined, 'thanks', 'z'.repeat(150), 'z'.repeat(201)),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const { model } = play;
      const draft = {
        lnAddressOrUrl: given.name,
        sourceCurrency: given.source,
        amount: given.money,
        ...(given.description && { description: given.description }),
      };
      return ask(
        play,
        {
          account,
          as,
          method: 'POST',
          path: '/v1/payment-quotes/lightning/lnurl',
          body: draft,
          key: given.key,
        },
        {
          shape: () => requireText(given.money.amount, 'amount.amount'),
          answer() {
            requireFreshKey(model, account, given.key);
            const receiver = lnurlReceiver(model, account, draft);
            const wish = {
              source: given.source,
              amount: receiver.account ? undefined : given.money,
              feeOf: feeOf(receiver, lightningFee),
            };
            return makePaymentQuote(model, account, given.key, {
              receiver,
              wish,
              description: given.description,
            });
          },
        },
      );
    },
  ),
  command('find lnurl', fc.record({ ...caller, name: names }), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/payment-quotes/lightning/lnurl/${given.name}` },
      () => {
        const { text, least, most, comment } = nameOf(play.model, given.name);
        const msat = (btc: string): number => Number(sum(btc, 'BTC').units) * 1_000;
        return ok({
          minSendable: msat(least),
          maxSendable: msat(most),
          commentAllowed: comment ?? null,
          metadata: JSON.stringify([['text/plain', text]]),
          tag: 'payRequest',
        });
      },
    );
  }),
  command(
    'list tiers',
    fc.record({ ...caller, money, isAddress: fc.constantFrom(true, true, false) }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const btcAddress = given.isAddress ? play.real.sandbox.payer.createAddress() : '1Nothing';
      return ask(
        play,
        {
          account,
          as,
          method: 'POST',
          path: '/v1/payment-quotes/onchain/tiers',
          body: { btcAddress, amount: given.money },
        },
        {
          shape: () => requireText(given.money.amount, 'amount.amount'),
          answer() {
            if (!given.isAddress) throw refused('INVALID_BITCOIN_ADDRESS');
            requireNamed(given.money.currency, 'amount.currency');
            const dust = sum('0.00000546', 'BTC');
            const sats = play.model.convert(fitted(given.money), 'BTC', 'down');
            if (sats.units < dust.units) throw refused('AMOUNT_TOO_LOW', { limit: wire(dust) });
            return ok(
              Object.entries(TIERS).map(([id, { minutes, sats }]) => ({
                id,
                estimatedDeliveryDurationInMin: minutes,
                estimatedFee: wire({ units: sats, currency: 'BTC' }),
              })),
            );
          },
        },
      );
    },
  ),
  ...[1, 2].map(() =>
    command(
      'execute payment quote',
      fc.record({
        ...caller,
        at,
        outcome: fc.oneof(
          fc.constant(undefined),
          fc.record({
            state: fc.constantFrom(
              'COMPLETED',
              'COMPLETED',
              'FAILED',
              'FAILED',
              'PROCESSING_CONFLICT',
              'LN_ROUTE_NOT_FOUND',
            ),
            after: fc.constantFrom(0, 1_500, 50_000, Infinity),
          }),
        ),
        away: drawn.away('UNAVAILABLE'),
      }),
      async (play, given) => {
        const { as, account: other } = asking(play, given);
        const quote = pick(paymentQuotesOf(play.model), given.at);
        const account = given.at % 7 === 0 ? other : (quote?.account ?? other);
        const { outcome } = given;
        const endFault =
          outcome &&
          play.real.sandbox.fault({
            subject: 'payment',
            state: outcome.state,
            delay: outcome.after,
          });
        await during(play, 'lightning', given.away, () =>
          ask(
            play,
            {
              account,
              as,
              method: 'PATCH',
              path: `/v1/payment-quotes/${quote?.id ?? NOBODY}/execute`,
            },
            () =>
              executeQuote(play.model, account, quote, {
                state: outcome?.state ?? 'COMPLETED',
                after: outcome?.after,
              }),
          ),
        );
        endFault?.();
      },
    ),
  ),
  command(
    'find payment',
    fc.record({ ...caller, at, isOwner: fc.constantFrom(true, true, false) }),
    (play, given) => {
      const { account: other, as } = asking(play, given);
      const payment = pick(paymentsOf(play.model), given.at);
      const account = given.isOwner ? (payment?.quote.account ?? other) : other;
      return ask(
        play,
        { account, as, method: 'GET', path: `/v1/payments/${payment?.id ?? NOBODY}` },
        () => findPayment(account, payment),
      );
    },
  ),
  command(
    'move payment',
    fc.record({ at, state: fc.constantFrom('COMPLETED', 'FAILED', 'PENDING') }),
    (play, { at: place, state }) => {
      const payment = pick(paymentsOf(play.model), place);
      return outside(
        play,
        'move payment',
        () => {
          if (!payment) throw unknown();
          if (payment.state !== 'PENDING' || state === 'PENDING')
            throw refused('UNPROCESSABLE_ENTITY');
          endPayment(play.model, payment, state);
        },
        () => play.real.sandbox.move('payment', payment?.id ?? NOBODY, state),
      );
    },
  ),
];
