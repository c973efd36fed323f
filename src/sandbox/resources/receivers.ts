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

/** The receiver of a payment: an external wallet, or another account in the sandbox. */
export interface Receiver {
  readonly rail: 'lightning' | 'onchain';
  /** Absent for an external receiver. In that case the network takes a fee. */
  readonly account: Account | undefined;
  /** The requested amount in its own currency. Absent if the payer chooses. */
  readonly asked?: Money | undefined;
  /** The same in whole satoshi, rounded up. */
  readonly sats?: Money | undefined;
  readonly description?: string | undefined;
  /** The preimage the sender gets on arrival, in hex. */
  readonly preimage?: string | undefined;
  /** Refuses if it can't be paid now. `executing` means the money is about to leave. */
  check(payer: Account, executing: boolean): void;
  /** Returns the credit for an amount that leaves the sender, also given in bitcoin. */
  credit(amount: Money, sats: Money): Credit;
  /**
   * Starts the payment. Returns a function to end it, called with the credit, or without one if the
   * payment fails.
   */
  begin(payer: Account, amount: Money): (arrived?: PaymentArrival) => void;
}

/** A payment that arrived, for its receiver. The ledger has already posted it. */
export interface PaymentArrival {
  readonly credit: Credit;
  /** The sender's free money, to which a reversal pays back. */
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

/** The hash is settled, pending or expired. */
export function requireOpen(world: World, { standing, end }: StoredBolt11): void {
  recordUse(world, 'receive-requests.once');
  if (standing === 'paid') throw new ServiceRefusal('LN_INVOICE_PROCESSED');
  if (standing === 'running') throw new ServiceRefusal('PROCESSING_PAYMENT');
  requireLive(world, end);
}

/** Pays the address directly, without going through the chain. */
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
