import { compareMoney, fromMsat, type Money } from '../../money/index.ts';
import { decodeLnurl, parseLightningAddress } from '../../lightning/lnurl.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { LnurlDetails } from '../../resources/payment-quotes.ts';
import { invalidData, notFound, ServiceRefusal } from '../world/refusals.ts';
import { fittedAmount, requireNamed } from '../ledger/amounts.ts';
import { convertNow } from '../ledger/exchange-rates.ts';
import { subAccountsOf } from '../ledger/ledger.ts';
import { recordUse } from '../provenance/recorder.ts';
import type { Account, World } from '../world/world.ts';
import { invoiceReceiver } from './account-receivers.ts';
import { nameReceiver } from './destinations.ts';
import { addInvoice } from './invoice-store.ts';
import { makeQuote, type StoredQuote } from './invoice-quotes.ts';
import type { Receiver } from './receivers.ts';

/** What a Lightning address takes. */
interface Name {
  readonly text: string;
  /** Millisatoshi. */
  readonly least: number;
  /** Millisatoshi. */
  readonly most: number;
  readonly comment: number | undefined;
  readonly isReached: boolean;
  /** Absent outside. */
  readonly account?: Account;
}

const OUTSIDE = 'wallet.example';
/** Handles of this world are names below it. */
const INSIDE = 'sandbox.invalid';

/** Outside wallets: one takes comments, one takes none, one cannot be reached. */
const OUTSIDERS: Readonly<Record<string, Name>> = {
  ada: { text: 'Pay Ada', least: 1_000, most: 500_000_000, comment: 120, isReached: true },
  ben: {
    text: 'Pay Ben',
    least: 1_000_000,
    most: 100_000_000,
    comment: undefined,
    isReached: true,
  },
  lost: {
    text: 'Pay nobody',
    least: 1_000,
    most: 500_000_000,
    comment: undefined,
    isReached: false,
  },
};

function nameOf(world: World, given: string): Name {
  const [, domain, name = ''] =
    /^https:\/\/([^/]+)\/\.well-known\/lnurlp\/([^/?#]+)$/.exec(urlOf(given)) ?? [];
  if (domain === OUTSIDE && Object.hasOwn(OUTSIDERS, name)) return OUTSIDERS[name]!;
  const account = domain === INSIDE ? world.accounts.get(name) : undefined;
  if (!account || account.isPrivate) throw notFound();
  return {
    text: `Pay ${name}`,
    least: 1_000,
    most: 2_000_000_000,
    comment: 200,
    isReached: true,
    account,
  };
}

/** The address behind the text; nothing for a text that is neither. */
function urlOf(text: string): string {
  for (const read of [parseLightningAddress, decodeLnurl]) {
    try {
      return read(text).url;
    } catch {
      // perhaps the other
    }
  }
  return '';
}

export function detailsOf(world: World, given: string): LnurlDetails {
  const { text, least, most, comment } = nameOf(world, given);
  const shown = {
    minSendable: least,
    maxSendable: most,
    metadata: JSON.stringify([['text/plain', text]]),
    commentAllowed: comment ?? null,
    tag: 'payRequest',
  };
  return shown as unknown as LnurlDetails; // a null on the wire is read as absent
}

/**
 * Whom a Lightning address leads to, for an amount that it takes; an account of this world answers
 * with an invoice.
 */
export function lnurlReceiver(
  world: World,
  payer: Account,
  given: string,
  amount: Money,
  comment: string | undefined,
): Receiver {
  requireNoPolicy(amount);
  const name = nameOf(world, given);
  requireComment(name, comment);
  requireNamed('amount.currency', amount.currency);
  const asked = fittedAmount(amount);
  requireBetween(name, convertNow(world, asked, 'BTC', 'up').money);
  const { account } = name;
  if (!account) return nameReceiver(world, name.text, name.isReached);
  if (account === payer) throw new ServiceRefusal('SELF_PAYMENT_NOT_ALLOWED');
  const taken = account.currencies.includes(asked.currency)
    ? asked
    : convertNow(world, asked, account.defaultCurrency, 'up').money;
  return accountReceiver(world, account, taken, comment);
}

/** The service takes no fee policy here: the receiver gets what was asked for. */
function requireNoPolicy(amount: SpendAmount): void {
  if ((amount.feePolicy ?? undefined) !== undefined)
    throw invalidData([
      { field: 'amount.feePolicy', code: 'INVALID_DATA_VALUE', advice: 'is not taken here' },
    ]);
}

/** An account's name: its invoice is made when the payment begins, so a quote leaves nothing. */
function accountReceiver(
  world: World,
  account: Account,
  amount: Money,
  description: string | undefined,
): Receiver {
  let paid: StoredQuote | undefined;
  return {
    rail: 'lightning',
    account,
    asked: amount,
    sats: convertNow(world, amount, 'BTC', 'up').money,
    description,
    get preimage() {
      return paid?.preimage;
    },
    check() {
      if (!account.canReceive) throw new ServiceRefusal('INVALID_RECIPIENT');
    },
    credit: () => ({ to: subAccountsOf(account).free, money: amount }),
    begin(payer, spent) {
      recordUse(world, 'lnurl.invoices');
      const sides = { issuer: account, receiver: account };
      paid = makeQuote(world, addInvoice(world, { ...sides, amount, description }));
      return invoiceReceiver(world, paid).begin(payer, spent);
    },
  };
}

function requireComment({ comment: most }: Name, comment: string | undefined): void {
  if (comment === undefined || [...comment].length <= (most ?? 0)) return;
  const violation =
    most === undefined
      ? { code: 'INVALID_DATA_VALUE', advice: 'is not taken by this receiver' }
      : {
          code: 'INVALID_DATA_MAXLENGTH',
          advice: `must be at most ${most} characters`,
          values: { maxLength: most },
        };
  throw invalidData([{ field: 'description', ...violation }]);
}

function requireBetween({ least, most }: Name, sats: Money): void {
  const [low, high] = [fromMsat(`${least}`), fromMsat(`${most}`)];
  if (compareMoney(sats, low) < 0) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: low });
  if (compareMoney(sats, high) > 0) throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit: high });
}
