// Whom payments go to: somebody outside, or another account, as the model knows them.
import { refused } from './answers.ts';
import { divide, type Sum } from './decimals.ts';
import {
  addInvoice,
  beginPaying,
  type InvoiceQuote,
  makeQuote,
  requireUnpaid,
} from './invoices.ts';
import type { Account, Line, Model } from './model.ts';
import {
  beginReceive,
  dropReceive,
  endReceive,
  type ReceiveRequest,
  requireOpen,
} from './receives.ts';

type End = (arrived: { readonly lines: readonly Line[]; readonly credit: Sum } | undefined) => void;

export interface Receiver {
  readonly rail: 'lightning' | 'onchain';
  readonly account?: Account;
  readonly asked?: Sum | undefined;
  readonly sats?: Sum | undefined;
  readonly description?: string | undefined;
  check(payer: Account, isLeaving: boolean): void;
  credit(amount: Sum, sats: Sum): { readonly to: string; readonly money: Sum };
  begin(payer: Account, amount: Sum): End;
}

/** What somebody outside asked for. */
export interface Outside {
  readonly text: string;
  readonly msat: bigint | undefined;
  readonly route: 'good' | 'none' | 'lost';
  readonly network: string;
  readonly end: number;
  standing: 'open' | 'running' | 'paid';
}

export const outsideOf = (model: Model): Outside[] => model.table('outside', () => []);

const requireOther = (payer: Account, accounts: readonly Account[]): void => {
  if (accounts.includes(payer)) throw refused('SELF_PAYMENT_NOT_ALLOWED');
  if (!accounts.every(({ canReceive }) => canReceive)) throw refused('INVALID_RECIPIENT');
};

const requireLive = (model: Model, end: number): void => {
  if (model.now >= end) throw refused('INVALID_STATE_FOR_INVOICE_EXPIRED');
};

export const toOutside = (model: Model, outside: Outside): Receiver => ({
  rail: 'lightning',
  description: 'outside',
  sats:
    outside.msat === undefined
      ? undefined
      : { units: divide(outside.msat, 1_000n, 'up'), currency: 'BTC' },
  check(_payer, isLeaving) {
    if (outside.standing === 'paid') throw refused('LN_INVOICE_PROCESSED');
    requireLive(model, outside.end);
    if (outside.standing === 'running') throw refused('PROCESSING_PAYMENT');
    if (outside.route === 'none' || (isLeaving && outside.route === 'lost'))
      throw refused('LN_ROUTE_NOT_FOUND');
  },
  credit: (_amount, sats) => ({ to: 'ln', money: sats }),
  begin() {
    outside.standing = 'running';
    return (arrived) => {
      outside.standing = arrived ? 'paid' : 'open';
    };
  },
});

/** Somebody with a Lightning address, or with one on the chain. */
export const toAnybody = (rail: 'lightning' | 'onchain', isReached = true): Receiver => ({
  rail,
  check() {
    if (!isReached) throw refused('LN_ROUTE_NOT_FOUND');
  },
  credit: (_amount, sats) => ({ to: rail === 'lightning' ? 'ln' : 'chain', money: sats }),
  begin: () => () => {},
});

export const toInvoice = (model: Model, quote: InvoiceQuote): Receiver => {
  const { invoice } = quote;
  return {
    rail: 'lightning',
    account: invoice.receiver,
    asked: invoice.amount,
    sats: quote.sats,
    description: quote.description,
    check(payer) {
      requireOther(payer, [invoice.issuer, invoice.receiver]);
      if (invoice.state === 'PAID' && invoice.paidBy === quote)
        throw refused('LN_INVOICE_PROCESSED');
      requireUnpaid(invoice);
      requireLive(model, quote.end);
    },
    credit: () => ({ to: `${invoice.receiver.handle}.free`, money: invoice.amount }),
    begin() {
      const end = beginPaying(model, quote);
      return (arrived) => end(arrived && { lines: arrived.lines, booked: true });
    },
  };
};

/** The name of an account: its invoice is made when the money is on its way. */
export const toName = (
  model: Model,
  account: Account,
  amount: Sum,
  description: string | undefined,
): Receiver => ({
  rail: 'lightning',
  account,
  asked: amount,
  sats: model.convert(amount, 'BTC', 'up'),
  description,
  check(payer) {
    requireOther(payer, [account]);
  },
  credit: () => ({ to: `${account.handle}.free`, money: amount }),
  begin(payer, spent) {
    const own = { issuer: account, receiver: account, amount, correlationId: undefined };
    const quote = makeQuote(model, addInvoice(model, { ...own, description }));
    return toInvoice(model, quote).begin(payer, spent);
  },
});

export const toRequest = (
  model: Model,
  request: ReceiveRequest,
  rail: 'bolt11' | 'onchain',
): Receiver => {
  const { account, target } = request;
  const bolt11 = rail === 'bolt11' ? request.bolt11 : undefined;
  return {
    rail: bolt11 ? 'lightning' : 'onchain',
    account,
    asked: bolt11?.asked,
    sats: bolt11?.sats,
    description: bolt11?.description,
    check(payer) {
      requireOther(payer, [account]);
      if (bolt11) requireOpen(model, bolt11);
    },
    credit: (amount) => ({
      to: `${account.handle}.free`,
      money: model.convert(amount, target, 'down'),
    }),
    begin(payer, received) {
      if (bolt11) bolt11.standing = 'running';
      const receive = beginReceive(model, request, { type: 'P2P', received, payer });
      return (arrived) => {
        if (bolt11) bolt11.standing = arrived ? 'paid' : 'open';
        if (arrived) endReceive(model, receive, arrived.credit);
        else dropReceive(model, receive);
      };
    },
  };
};
