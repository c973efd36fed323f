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

/** The money that reaches a receiver, and its place. */
export interface Credit {
  readonly to: LedgerAccount;
  readonly money: Money;
}

/** The receiver of a payment: an outside wallet, or another account of the sandbox. */
export interface Receiver {
  readonly rail: 'lightning' | 'onchain';
  /** Absent where the receiver is outside: then the network takes a fee. */
  readonly account: Account | undefined;
  /** The requested amount, in its own currency; absent where the payer chooses. */
  readonly asked?: Money | undefined;
  /** The same in whole satoshi, rounded up. */
  readonly sats?: Money | undefined;
  readonly description?: string | undefined;
  /** The preimage that the sender learns when it has arrived, hex. */
  readonly preimage?: string | undefined;
  /** Refuses where it cannot be paid now; `executing`: the money is about to leave. */
  check(payer: Account, executing: boolean): void;
  /** The amount that arrives when so much leaves the sender, and as bitcoin. */
  credit(amount: Money, sats: Money): Credit;
  /**
   * The money is on its way; returns what to do at its end, with what was credited, or without when
   * it comes back.
   */
  begin(payer: Account, amount: Money): (arrived?: PaymentArrival) => void;
}

/** The payment that has ended, for its receiver; the ledger has booked it already. */
export interface PaymentArrival {
  readonly credit: Credit;
  /** The sender's free money, where a reversal gives back to. */
  readonly sender: LedgerAccount;
  readonly spent: Money;
}

/** Another account's invoice, by one of its quotes. */
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

/** The receiver's side of a payment, as a reversal takes it back. */
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

/** Another account's request over Lightning. */
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

/** Refuses where the hash is settled, is being settled, or has ended. */
export function requireOpen(world: World, { standing, end }: StoredBolt11): void {
  recordUse(world, 'receive-requests.once');
  if (standing === 'paid') throw new ServiceRefusal('LN_INVOICE_PROCESSED');
  if (standing === 'running') throw new ServiceRefusal('PROCESSING_PAYMENT');
  requireLive(world, end);
}

/** Another account's request by its address: the chain is not needed. */
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
