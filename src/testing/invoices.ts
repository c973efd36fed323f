import { millisOf } from '../core/time.ts';
import { fallbackAddress } from '../lightning/address.ts';
import { bitcoinUri } from '../lightning/bitcoin-uri.ts';
import { encodeBolt11 } from '../lightning/signature.ts';
import { type Money, money, toMsat } from '../money/index.ts';
import { InvoiceQuoteSchema, InvoiceSchema } from '../resources/invoices.schemas.ts';
import type { Invoice, InvoiceQuote, InvoiceTransaction } from '../resources/invoices.ts';
import { ReceiveRequestSchema, ReceiveSchema } from '../resources/receive-requests.schemas.ts';
import type { Receive, ReceiveRequest } from '../resources/receive-requests.ts';
import { shapeOf } from '../resources/wire.ts';
import {
  after,
  type Broken,
  convert,
  idOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  notYet,
  type Origin,
  rateOf,
  secretOf,
} from './make.ts';

/**
 * Makes an invoice: UNPAID, of 12.50 EUR, of the first account. With a state in which something
 * came in it has its transactions, as the service shows them with `includeTransactions`; leave them
 * out with `transactions: undefined`.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such an invoice cannot have
 * @example
 * const paid = makeInvoice({ state: 'PAID', correlationId: 'order-7781' });
 * const three = [0, 1, 2].map((index) => makeInvoice({}, { index }));
 */
export function makeInvoice(members: Members<Invoice> = {}, options: MakeOptions = {}): Invoice {
  return make(
    {
      name: 'makeInvoice',
      shape: shapeOf(InvoiceSchema),
      usual: usualInvoice,
      broken: brokenInvoice,
    },
    members,
    options,
  );
}

function usualInvoice(
  { state = 'UNPAID', amount, created, issuerId }: Members<Invoice>,
  { index, created: now, id }: Origin,
): Invoice {
  const account = issuerId ?? idOf('account');
  const asked = moneyOf(amount, '12.50');
  const transaction = {
    transactionId: id('transaction'),
    amountReceived: asked,
    created: after(created ?? now, 1_000),
  };
  const completed = after(created ?? now, 2_000);
  const isSettled = state === 'PAID' || state === 'REVERSED';
  return {
    invoiceId: id('invoice'),
    amount: asked,
    state,
    created: now,
    correlationId: `order-${index}`,
    description: `Order ${index}`,
    issuerId: account,
    receiverId: account,
    ...(state === 'PENDING' && { transactions: [{ ...transaction, state: 'PENDING' }] }),
    ...(isSettled && { transactions: [{ ...transaction, state: 'COMPLETED', completed }] }),
  };
}

/** The amount that came in decides the state, as far as both are known. */
function brokenInvoice({ state, transactions }: Invoice): readonly (Broken | false)[] {
  if (!transactions) return [];
  const has = (wanted: InvoiceTransaction['state']): boolean =>
    transactions.some((one) => one.state === wanted);
  const isSettled = state === 'PAID' || state === 'REVERSED';
  const isOpen = ['UNPAID', 'PENDING', 'CANCELLED'].includes(state);
  return [
    isSettled &&
      !has('COMPLETED') && ['transactions', `must have a COMPLETED one in the state ${state}`],
    isOpen && has('COMPLETED') && ['transactions', `must have no COMPLETED one in ${state}`],
    ...transactions.map(
      (one, at): Broken | false =>
        one.state === 'PENDING' &&
        one.completed !== undefined && [
          `transactions.${at}.completed`,
          'must be absent: it does not belong to the state PENDING',
        ],
    ),
  ];
}

/**
 * Makes a quote of an invoice: a signed BOLT11 text of the test network for its amount, valid for
 * 30 seconds.
 *
 * @param members what is to be chosen; amounts, rate, times and text fit each other
 * @param options which one, and when
 * @throws InputError naming the members that such a quote cannot have
 * @example
 * const quote = makeInvoiceQuote({ targetAmount: { amount: '3.00', currency: 'EUR' } });
 * console.log(decodeBolt11(quote.lnInvoice).amountMsat); // '5000000'
 */
export function makeInvoiceQuote(
  members: Members<InvoiceQuote> = {},
  options: MakeOptions = {},
): InvoiceQuote {
  return make(
    { name: 'makeInvoiceQuote', shape: shapeOf(InvoiceQuoteSchema), usual: usualQuote },
    members,
    options,
  );
}

function usualQuote(chosen: Members<InvoiceQuote>, { index, created, id }: Origin): InvoiceQuote {
  const quoteId = chosen.quoteId ?? id('invoiceQuote');
  const description = 'description' in chosen ? chosen.description : `Order ${index}`;
  const targetAmount = moneyOf(chosen.targetAmount, '12.50');
  const conversionRate = rateOf('BTC', targetAmount.currency, chosen.conversionRate);
  const isBitcoin = targetAmount.currency === 'BTC';
  const { amount, currency } = isBitcoin ? targetAmount : convert(targetAmount, conversionRate);
  const sourceAmount = moneyOf(chosen.sourceAmount, amount, currency);
  const seconds = chosen.expirationInSec ?? secondsUntil(created, chosen.expiration) ?? 30;
  return {
    quoteId,
    description,
    lnInvoice:
      chosen.lnInvoice ??
      bolt11Of(quoteId, created, { amount: sourceAmount, description, seconds }),
    expiration: after(created, seconds * 1_000),
    expirationInSec: seconds,
    targetAmount,
    sourceAmount,
    conversionRate: isBitcoin ? { ...conversionRate, amount: '1' } : conversionRate,
  };
}

function secondsUntil(created: string, end: string | undefined): number | undefined {
  const [from, to] = [millisOf(created), millisOf(end ?? '')];
  return from === undefined || to === undefined
    ? undefined
    : Math.max(0, Math.round((to - from) / 1_000));
}

/** A key for tests; what it signs is money nowhere. */
const TEST_KEY = '17'.repeat(32);

/** A signed BOLT11 text of the test network. */
function bolt11Of(
  id: string,
  created: string,
  {
    amount,
    description = '',
    seconds,
  }: {
    readonly amount: Money | undefined;
    readonly description?: string | undefined;
    readonly seconds: number;
  },
): string {
  return encodeBolt11(
    {
      network: 'testnet',
      timestamp: Math.floor((millisOf(created) ?? 0) / 1_000),
      amountMsat: amount?.currency === 'BTC' ? toMsat(amount as Money<'BTC'>) : undefined,
      paymentHash: secretOf(id).paymentHash,
      paymentSecret: secretOf(`${id}/secret`).preimage,
      expirySeconds: seconds,
      description,
    },
    TEST_KEY,
  );
}

const HOUR = 3_600;

/** An address of the test network without a known key. */
function addressOf(id: string): string {
  const program = secretOf(`${id}/address`).paymentHash.slice(0, 40);
  return fallbackAddress({ version: 0, program }, 'testnet');
}

/**
 * Makes a receive request: of 5.00 EUR, with a Lightning way and an on-chain way; with one of them
 * where only that is chosen.
 *
 * @param members what is to be chosen; amounts and texts fit each other
 * @param options which one, and when
 * @throws InputError naming the members that such a request cannot have
 * @example
 * const onchain = makeReceiveRequest({ onchain: { requestedAmount: { amount: '20.00' } } });
 */
export function makeReceiveRequest(
  members: Members<ReceiveRequest> = {},
  options: MakeOptions = {},
): ReceiveRequest {
  return make(
    { name: 'makeReceiveRequest', shape: shapeOf(ReceiveRequestSchema), usual: usualRequest },
    members,
    options,
  );
}

function usualRequest(
  { receiveRequestId, created: chosen, bolt11, onchain }: Members<ReceiveRequest>,
  { index, created: now, id: newId }: Origin,
): ReceiveRequest {
  const id = receiveRequestId ?? newId('receiveRequest');
  const created = chosen ?? now;
  const hasBoth = !bolt11 && !onchain;
  return {
    receiveRequestId: id,
    created,
    targetCurrency: 'EUR',
    ...((bolt11 || hasBoth) && { bolt11: bolt11Way(id, created, `Order ${index}`, bolt11 ?? {}) }),
    ...((onchain || hasBoth) && { onchain: onchainWay(id, onchain ?? {}) }),
  };
}

/** The requested amount, and the same in BTC. */
function askedOf(chosen: Members<NonNullable<ReceiveRequest['onchain']>>): {
  readonly requestedAmount: Money;
  readonly btcAmount: string;
} {
  const requestedAmount = moneyOf(chosen.requestedAmount, '5.00');
  const { currency } = requestedAmount;
  const bitcoin =
    currency === 'BTC'
      ? requestedAmount
      : convert(requestedAmount, rateOf('BTC', currency, undefined));
  return { requestedAmount, btcAmount: chosen.btcAmount ?? bitcoin.amount };
}

function bolt11Way(
  id: string,
  created: string,
  usual: string,
  chosen: Members<NonNullable<ReceiveRequest['bolt11']>>,
): NonNullable<ReceiveRequest['bolt11']> {
  const asked = askedOf(chosen);
  const description = 'description' in chosen ? chosen.description : usual;
  const amount = money(asked.btcAmount, 'BTC');
  return {
    invoice: chosen.invoice ?? bolt11Of(id, created, { amount, description, seconds: HOUR }),
    ...asked,
    description,
    paymentHash: secretOf(id).paymentHash,
    expires: after(created, HOUR * 1_000),
  };
}

function onchainWay(
  id: string,
  chosen: Members<NonNullable<ReceiveRequest['onchain']>>,
): NonNullable<ReceiveRequest['onchain']> {
  const asked = askedOf(chosen);
  const address = chosen.address ?? addressOf(id);
  const amount = money(asked.btcAmount, 'BTC');
  return { address, addressUri: chosen.addressUri ?? bitcoinUri({ address, amount }), ...asked };
}

/**
 * Makes a receive of the first receive request: over Lightning and COMPLETED. On the chain where
 * `onchain` or the state PENDING is chosen, since only there a payment is seen before it is
 * credited; from another user where `p2p` is chosen.
 *
 * @param members what is to be chosen; the credit fits what was received
 * @param options which one, and when
 * @throws InputError naming the members that such a receive cannot have
 * @example
 * const seen = makeReceive({ state: 'PENDING' });
 * console.log(seen.type, seen.onchain?.numberOfConfirmations); // ONCHAIN 0
 */
export function makeReceive(members: Members<Receive> = {}, options: MakeOptions = {}): Receive {
  return make(
    {
      name: 'makeReceive',
      shape: shapeOf(ReceiveSchema),
      usual: usualReceive,
      broken: (value) => [
        ...notYet(value, { PENDING: ['amountCredited', 'conversionRate', 'completed'] }),
        ...otherWays(value),
      ],
    },
    members,
    options,
  );
}

const WAYS = { LIGHTNING: 'lightning', ONCHAIN: 'onchain', P2P: 'p2p' } as const;

/** A way that the type excludes. */
function otherWays(value: Receive): readonly (Broken | false)[] {
  return Object.entries(WAYS).map(
    ([type, way]): Broken | false =>
      Object.hasOwn(WAYS, value.type) &&
      type !== value.type &&
      value[way] !== undefined && [way, `must be absent: the type is ${value.type}`],
  );
}

function typeOf({ type, state, onchain, p2p }: Members<Receive>): Receive['type'] {
  if (type !== undefined) return type;
  return p2p ? 'P2P' : onchain || state === 'PENDING' ? 'ONCHAIN' : 'LIGHTNING';
}

function usualReceive(chosen: Members<Receive>, origin: Origin): Receive {
  const { created: now, id } = origin;
  const type = typeOf(chosen);
  const { state = type === 'ONCHAIN' ? 'PENDING' : 'COMPLETED', created = now } = chosen;
  const isOwn = type === 'P2P';
  const received = moneyOf(
    chosen.amountReceived,
    isOwn ? '5.00' : '0.00008334',
    isOwn ? 'EUR' : 'BTC',
  );
  const target = chosen.amountCredited?.currency ?? 'EUR';
  const rate = rateOf(received.currency, target, chosen.conversionRate);
  const isSame = received.currency === target;
  return {
    receiveId: id('receive'),
    receiveRequestId: idOf('receiveRequest'),
    type,
    state,
    amountReceived: received,
    created,
    ...(state === 'COMPLETED' && {
      amountCredited: isSame ? received : convert(received, rate),
      conversionRate: isSame ? undefined : rate,
      completed: after(created, 2_000),
    }),
    ...wayOf(type, state, chosen, origin),
  };
}

/** The known facts of the way that it came. */
function wayOf(
  type: string,
  state: string,
  { receiveRequestId = idOf('receiveRequest'), lightning }: Members<Receive>,
  { startAt }: Origin,
): Partial<Receive> {
  if (type === 'P2P') return { p2p: { payerAccountId: idOf('account', 1) } };
  if (type === 'ONCHAIN')
    return {
      onchain: {
        address: addressOf(receiveRequestId),
        transactionId: secretOf(`${receiveRequestId}/transaction`).preimage,
        ...(state === 'COMPLETED'
          ? { blockHeight: 2_900_000, numberOfConfirmations: 1 }
          : { numberOfConfirmations: 0 }),
      },
    };
  if (type !== 'LIGHTNING') return {};
  const { bolt11 } = makeReceiveRequest({ receiveRequestId, bolt11: {} }, { startAt });
  return {
    lightning: {
      invoice: lightning?.invoice ?? bolt11!.invoice,
      ...secretOf(receiveRequestId),
      description: bolt11!.description,
    },
  };
}
