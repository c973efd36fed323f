import { badInput, RefusedError, type ServiceCode, serviceCodes } from '../../core/errors/index.ts';
import { countWait } from '../../core/time.ts';
import { decodeAddress } from '../../lightning/address.ts';
import { parseBitcoinUri } from '../../lightning/bitcoin-uri.ts';
import { decodeBolt11 } from '../../lightning/bolt11.ts';
import { isSameMoney, type Money, roundMoney } from '../../money/index.ts';
import { chooseNextState } from '../faults/rules.ts';
import { assumedTime } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import {
  allInvoices,
  beginTransaction,
  endTransaction,
  makeQuote,
  moveInvoice,
  networkTransfers,
  quoteStore,
  requireUnpaid,
  type StoredInvoice,
  type StoredQuote,
} from '../resources/invoice-store.ts';
import { createOutsideInvoice, drawAddress, type OutsideDraft } from '../resources/destinations.ts';
import {
  beginReceive,
  dropReceive,
  endReceive,
  requestStore,
  type StoredBolt11,
  type StoredReceive,
  type StoredRequest,
} from '../resources/receive-store.ts';
import { requireOpen } from '../resources/receivers.ts';
import { ticksOfMillis } from '../time/instants.ts';
import { requireValid } from '../world/checked.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { runLater, type World } from '../world/world.ts';
import type { PayOptions } from './options.ts';
import { outsideDraftSchema, payOptionsSchema, targetSchema } from './option-schemas.ts';

/** An external wallet that can send and receive payments. */
export interface Payer {
  /**
   * Pays a BOLT11 invoice, an on-chain address, a `bitcoin:` URI, a quote id or an invoice id. For
   * an invoice id, it pays the newest quote, or a new quote if that has expired. The payment is
   * PENDING as soon as the call returns, and the promise resolves when the payment ends.
   * @throws RefusedError `NOT_FOUND` for an unknown hash or address,
   * `INVALID_STATE_FOR_INVOICE_EXPIRED` for an expired BOLT11 invoice,
   * `INVALID_STATE_FOR_INVOICE_PAID`, `_CANCELLED`, `_REVERSED`, `LN_INVOICE_PROCESSED` for a paid
   * receive request, or `PROCESSING_PAYMENT` during another payment
   *
   * @example
   * await sandbox.payer.pay(quote.lnInvoice, { pendingFor: 2_000 });
   */
  pay(target: string, options?: PayOptions): Promise<Receipt>;
  /**
   * Reverses an invoice's payment, which changes the invoice's state to REVERSED.
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` for an unpaid invoice
   */
  reverse(invoiceId: string): Promise<void>;
  /**
   * Returns a BOLT11 invoice from the external wallet for you to pay.
   * @param draft options such as the amount in `sat`. Without an amount, you choose it when you
   * pay. With `route: 'none'`, creating a quote fails, and with `route: 'lost'`, executing it fails
   *
   * @example
   * const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
   */
  createBolt11(draft?: OutsideDraft): string;
  /**
   * Returns a new on-chain address from the external wallet for you to pay.
   *
   * @example
   * const btcAddress = sandbox.payer.createAddress();
   */
  createAddress(): string;
}

export function createPayer(world: World): Payer {
  return {
    pay: (target, options = {}) =>
      countWait(world.clock, payFromOutside(world, target, options), 'payer.pay()'),
    async reverse(invoiceId) {
      const invoice = allInvoices(world).get(invoiceId);
      if (!invoice) throw payerRefusal('NOT_FOUND', 'no invoice has this id');
      if (invoice.state !== 'PAID')
        throw payerRefusal('UNPROCESSABLE_ENTITY', 'only a paid invoice can be reversed');
      moveInvoice(world, invoice, 'REVERSED');
    },
    createBolt11: (draft = {}) =>
      createOutsideInvoice(world, requireValid(outsideDraftSchema, draft, 'draft')),
    createAddress: () => drawAddress(world, 'outside'),
  };
}

/** The result of a payment from the external wallet. */
export interface Receipt {
  /** Id of the invoice that was paid. */
  readonly invoiceId?: string;
  /** Id of the invoice quote that was paid. */
  readonly quoteId?: string;
  /** Id of the receive request that was paid. */
  readonly receiveRequestId?: string;
  /** Id of the received payment. Absent if the payment failed. */
  readonly receiveId?: string;
  /** Payment hash of 32 bytes in hex. Only present for Lightning payments. */
  readonly paymentHash?: string;
  /** Preimage in hex, which proves the payment. Only present for successful Lightning payments. */
  readonly preimage?: string;
  /** Bitcoin transaction id in hex. Only present for on-chain payments. */
  readonly transactionId?: string;
}

async function payFromOutside(
  world: World,
  givenTarget: string,
  givenOptions: PayOptions,
): Promise<Receipt> {
  const target = requireValid(targetSchema, givenTarget, 'target');
  const options = requireValid(payOptionsSchema, givenOptions, 'options');
  try {
    const uri = /^bitcoin:/i.test(target) ? parseBitcoinUri(target) : undefined;
    if (uri?.lightning) return await payLightning(world, uri.lightning, options);
    const address = uri?.address ?? (isAddress(target) ? target : undefined);
    if (address !== undefined)
      return await payAddress(world, address, {
        ...options,
        amount: options.amount ?? uri?.amount?.amount,
      });
    return await payLightning(world, target, options);
  } catch (thrown) {
    throw thrown instanceof ServiceRefusal
      ? payerRefusal(
          thrown.code,
          WHY[thrown.code] ?? 'the payment request cannot be paid in its current state',
        )
      : thrown;
  }
}

function payerRefusal(code: ServiceCode, text: string): RefusedError {
  return new RefusedError(`payer: ${text}`, {
    code,
    outcome: 'not-done',
    status: serviceCodes[code],
  });
}

const WHY: Readonly<Record<string, string>> = {
  NOT_FOUND: 'no invoice or receive request has this hash',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'this payment request has expired; ask for a new one',
};

function isAddress(text: string): boolean {
  try {
    return decodeAddress(text).text !== '';
  } catch {
    return false;
  }
}

async function payLightning(world: World, target: string, options: PayOptions): Promise<Receipt> {
  const invoice = allInvoices(world).get(target);
  const { byId, byHash } = quoteStore(world);
  const quote = invoice ? liveQuote(world, invoice) : byId.get(target);
  if (quote) return payInvoice(world, quote, options);
  const { paymentHash } = decodeBolt11(target);
  const hashed = byHash.get(paymentHash);
  if (hashed) return payInvoice(world, hashed, options);
  const request = requestStore(world).byHash.get(paymentHash);
  if (!request?.bolt11) throw new ServiceRefusal('NOT_FOUND');
  return payBolt11(world, request, request.bolt11, options);
}

function liveQuote(world: World, invoice: StoredInvoice): StoredQuote {
  requireUnpaid(invoice);
  const newest = quoteStore(world).ofInvoice.get(invoice.invoiceId)?.at(-1);
  return newest && ticksOfMillis(world.clock.now()) < newest.end
    ? newest
    : makeQuote(world, invoice);
}

async function payInvoice(
  world: World,
  quote: StoredQuote,
  { pendingFor = 0, fails = false }: PayOptions,
): Promise<Receipt> {
  const { invoice, quoteId, paymentHash, preimage, sourceAmount } = quote;
  requireUnpaid(invoice);
  if (ticksOfMillis(world.clock.now()) >= quote.end)
    throw new ServiceRefusal('INVALID_STATE_FOR_INVOICE_EXPIRED');
  const transaction = beginTransaction(world, invoice);
  if (pendingFor > 0) await world.clock.wait(pendingFor);
  if (!fails) invoice.paidBy = paymentHash;
  endTransaction(
    world,
    invoice,
    transaction,
    fails
      ? undefined
      : { transfers: networkTransfers(world, invoice, sourceAmount), isPosted: false },
  );
  return { invoiceId: invoice.invoiceId, quoteId, paymentHash, ...(!fails && { preimage }) };
}

/** Pays a receive request's BOLT11 invoice. Ignores `amount` if the invoice has its own. */
async function payBolt11(
  world: World,
  request: StoredRequest,
  bolt11: StoredBolt11,
  { pendingFor = 0, fails = false, amount }: PayOptions,
): Promise<Receipt> {
  requireOpen(world, bolt11);
  const amountReceived = bolt11.sats ?? bitcoin(amount);
  const { delay } = chooseNextState(world, 'receive', { state: 'COMPLETED', delay: pendingFor });
  bolt11.standing = 'running';
  const receive = beginReceive(world, request, {
    type: 'LIGHTNING',
    amountReceived,
    isSeen: delay > 0,
  });
  const { receiveRequestId } = request;
  const { paymentHash, preimage } = bolt11;
  await endLater(world, receive, delay, fails);
  // `Sandbox.move` may have changed the state in the meantime
  bolt11.standing = receive.state === 'COMPLETED' ? 'paid' : 'open';
  return {
    receiveRequestId,
    ...(!fails && { receiveId: receive.receiveId }),
    paymentHash,
    ...(!fails && { preimage }),
  };
}

/** Pays a receive request on-chain. `amount` may differ from the requested amount. */
async function payAddress(
  world: World,
  text: string,
  { pendingFor, amount, fails = false }: PayOptions,
): Promise<Receipt> {
  const request = requestStore(world).byAddress.get(decodeAddress(text).text);
  if (!request) throw payerRefusal('NOT_FOUND', 'no receive request uses this address');
  const amountReceived =
    amount === undefined && request.onchain?.sats ? request.onchain.sats : bitcoin(amount);
  // on-chain payments are credited after their first confirmation
  const usual = assumedTime(world, 'receives.outcome');
  const { delay } = chooseNextState(world, 'receive', {
    state: 'COMPLETED',
    delay: pendingFor ?? usual,
  });
  recordUse(world, 'receive-requests.reuse');
  if (delay === usual) recordUse(world, 'receives.outcome');
  const receive = beginReceive(world, request, { type: 'ONCHAIN', amountReceived, isSeen: true });
  await endLater(world, receive, delay, fails);
  return {
    receiveRequestId: request.receiveRequestId,
    ...(!fails && { receiveId: receive.receiveId }),
    transactionId: receive.transactionId!,
  };
}

/**
 * Completes or drops a received payment after a delay. With an infinite delay, it stays PENDING.
 */
function endLater(
  world: World,
  receive: StoredReceive,
  delay: number,
  fails: boolean,
): Promise<void> | undefined {
  const act = (): void => {
    if (receive.state === 'PENDING' && fails) dropReceive(world, receive);
    else if (receive.state === 'PENDING') endReceive(world, receive);
  };
  if (delay <= 0) return void act();
  return new Promise((resolve) =>
    runLater(world, delay, () => {
      act();
      resolve();
    }),
  );
}

function bitcoin(amount: string | undefined): Money {
  const given = amount === undefined ? undefined : roundMoney({ amount, currency: 'BTC' });
  if (!given || isSameMoney(given, { amount: '0', currency: 'BTC' }))
    throw badInput('amount', 'is required in BTC, because the payment request has no amount');
  return given;
}
