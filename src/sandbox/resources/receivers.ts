import type { Money } from '../../money/index.ts';
import { type LedgerAccount, listSubAccounts, type Transfer } from '../ledger/ledger.ts';
import { recordUse } from '../provenance/recorder.ts';
import { ticksOfMillis } from '../time/instants.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Account, World } from '../world/world.ts';
import {
  beginTransaction,
  endTransaction,
  listParties,
  requireUnpaid,
  type StoredQuote,
} from './invoice-store.ts';
import {
  beginReceive,
  creditFor,
  dropReceive,
  endReceive,
  type StoredBolt11,
  type StoredRequest,
} from './receive-store.ts';

export interface Credit {
  readonly to: LedgerAccount;
  readonly money: Money;
}

/** Receiver of a payment: an external wallet or another account in the sandbox. */
export interface Receiver {
  readonly rail: 'lightning' | 'onchain';
  /**
   * Account that receives the payment. Absent for an external wallet, where the network charges a
   * fee.
   */
  readonly account: Account | undefined;
  /** Requested amount in its own currency. Absent if the payer chooses. */
  readonly asked?: Money | undefined;
  /** Requested amount in BTC, rounded up to whole satoshi. */
  readonly sats?: Money | undefined;
  readonly description?: string | undefined;
  /** Preimage in hex, which the sender gets when the payment arrives. */
  readonly preimage?: string | undefined;
  /**
   * Throws if the receiver can't be paid now. `executing` is true when the payment starts, and
   * false when it's quoted.
   */
  check(payer: Account, executing: boolean): void;
  /**
   * Returns the credit for a payment. `amount` is in the sender's currency, and `sats` is the same
   * amount in BTC.
   */
  credit(amount: Money, sats: Money): Credit;
  /**
   * Starts a payment. Returns a function that ends it. Pass it the arrival, or nothing if the
   * payment failed.
   */
  begin(payer: Account, amount: Money): (arrived?: PaymentArrival) => void;
}

/** A payment that arrived and is already posted in the ledger. */
export interface PaymentArrival {
  readonly credit: Credit;
  /** The sender's ledger account, to which a reversal returns the money. */
  readonly sender: LedgerAccount;
  readonly spent: Money;
}

export function invoiceReceiver(world: World, quote: StoredQuote): Receiver {
  const { invoice, sourceAmount, preimage, description } = quote;
  return {
    rail: 'lightning',
    account: invoice.receiver,
    asked: invoice.amount,
    sats: sourceAmount,
    preimage,
    description,
    check(payer) {
      requireOther(payer, listParties(invoice));
      if (invoice.state === 'PAID' && invoice.paidBy === quote.paymentHash)
        throw new ServiceRefusal('LN_INVOICE_PROCESSED');
      requireUnpaid(invoice);
      requireLive(world, quote.end);
    },
    credit: () => ({ to: listSubAccounts(invoice.receiver).free, money: invoice.amount }),
    begin() {
      const transaction = beginTransaction(world, invoice);
      return (arrived) => {
        if (arrived) invoice.paidBy = quote.paymentHash;
        endTransaction(
          world,
          invoice,
          transaction,
          arrived && { transfers: transfersFor(arrived), isPosted: true },
        );
      };
    },
  };
}

function transfersFor({
  credit: { to, money },
  sender,
  spent,
}: PaymentArrival): readonly Transfer[] {
  if (spent.currency === money.currency) return [{ from: sender, to, money }];
  return [
    { from: sender, to: 'fx', money: spent },
    { from: 'fx', to, money },
  ];
}

export function bolt11Receiver(
  world: World,
  request: StoredRequest,
  bolt11: StoredBolt11,
): Receiver {
  const { preimage, description, requestedAmount, sats } = bolt11;
  return {
    rail: 'lightning',
    account: request.account,
    asked: requestedAmount,
    sats,
    preimage,
    description,
    check(payer) {
      requireOther(payer, new Set([request.account]));
      requireOpen(world, bolt11);
    },
    ...requestFace(world, request, (standing) => {
      bolt11.standing = standing;
    }),
  };
}

/** Rejects a BOLT11 invoice that's paid, being paid, or expired. */
export function requireOpen(world: World, { standing, end }: StoredBolt11): void {
  recordUse(world, 'receive-requests.once');
  if (standing === 'paid') throw new ServiceRefusal('LN_INVOICE_PROCESSED');
  if (standing === 'running') throw new ServiceRefusal('PROCESSING_PAYMENT');
  requireLive(world, end);
}

/**
 * Returns the receiver behind one of the sandbox's on-chain addresses. The payment is internal, so
 * it needs no confirmations.
 */
export function addressReceiver(world: World, request: StoredRequest): Receiver {
  return {
    rail: 'onchain',
    account: request.account,
    check: (payer) => requireOther(payer, new Set([request.account])),
    ...requestFace(world, request, () => {}),
  };
}

function requestFace(
  world: World,
  request: StoredRequest,
  stand: (standing: StoredBolt11['standing']) => void,
): Pick<Receiver, 'credit' | 'begin'> {
  return {
    credit: (amount: Money) => ({
      to: listSubAccounts(request.account).free,
      money: creditFor(world, request, amount).money,
    }),
    begin(payer, amountReceived) {
      stand('running');
      const receive = beginReceive(world, request, { type: 'P2P', amountReceived, payer });
      return (arrived) => {
        stand(arrived ? 'paid' : 'open');
        if (arrived) endReceive(world, receive, arrived.credit.money);
        else dropReceive(world, receive);
      };
    },
  };
}

function requireOther(payer: Account, accounts: ReadonlySet<Account>): void {
  if (accounts.has(payer)) throw new ServiceRefusal('SELF_PAYMENT_NOT_ALLOWED');
  if (![...accounts].every(({ canReceive }) => canReceive))
    throw new ServiceRefusal('INVALID_RECIPIENT');
}

function requireLive(world: World, end: bigint): void {
  if (ticksOfMillis(world.clock.now()) >= end)
    throw new ServiceRefusal('INVALID_STATE_FOR_INVOICE_EXPIRED');
}
