import { sha256 } from '@noble/hashes/sha2.js';
import { decodeAddress, fallbackAddress } from '../../lightning/address.ts';
import { type Bolt11, decodeBolt11, isBolt11Expired } from '../../lightning/bolt11.ts';
import { decodeLnurl, parseLightningAddress } from '../../lightning/lnurl.ts';
import type { Bolt11Draft } from '../../lightning/signature.ts';
import { compareMoney, fromMsat, type Money, roundMoney } from '../../money/index.ts';
import type { SpendAmount } from '../../resources/amounts.ts';
import type { LnurlDetails } from '../../resources/payment-quotes.ts';
import { chooseNextState } from '../faults/rules.ts';
import { convertNow, fittedAmount, requireNamed } from '../ledger/amounts.ts';
import { listSubAccounts } from '../ledger/ledger.ts';
import { recordUse } from '../provenance/recorder.ts';
import { invalidData, longText, notFound, ServiceRefusal, wrongValue } from '../world/responses.ts';
import { type Account, toHex, getStore, type World } from '../world/world.ts';
import {
  addInvoice,
  type BareBolt11,
  makeQuote,
  NETWORK,
  quoteStore,
  type StoredQuote,
  writeBolt11,
} from './invoice-store.ts';
import { requestStore } from './receive-store.ts';
import { addressReceiver, bolt11Receiver, invoiceReceiver, type Receiver } from './receivers.ts';

/**
 * Whether payments reach an external wallet. With `none`, there's no route when you create the
 * quote. With `lost`, there's no route when you execute it.
 */
export type Route = 'good' | 'none' | 'lost';

interface OutsideInvoice {
  readonly paymentHash: string;
  readonly preimage: string;
  readonly route: Route;
  running: boolean;
  paid: boolean;
}

/** Options for an external wallet's BOLT11 invoice. */
export interface OutsideDraft {
  /** Amount in whole satoshi, as a string. If absent, the payer chooses the amount. */
  readonly sat?: string | undefined;
  /** Amount in whole millisatoshi, as a string. Replaces `sat`. */
  readonly msat?: string | undefined;
  /** Invoice description. Defaults to `outside`. */
  readonly description?: string | undefined;
  /** Invoice lifetime in seconds. Defaults to 3,600. */
  readonly expirySeconds?: number | undefined;
  /** Whether payments reach the wallet. Defaults to `good`. */
  readonly route?: Route | undefined;
  /**
   * The invoice's Bitcoin network. Defaults to `testnet`, the only one that the sandbox
   * can pay on.
   */
  readonly network?: Bolt11Draft['network'] | undefined;
}

/** The Lightning network is available unless a fault rule changes that. */
const UP = { state: 'AVAILABLE', delay: 0 };

export function requireLightning(world: World): void {
  if (chooseNextState(world, 'lightning', UP).state !== UP.state)
    throw new ServiceRefusal('LN_UNAVAILABLE');
}

function outsideInvoices(world: World): Map<string, OutsideInvoice> {
  return getStore(world, 'outside', () => new Map());
}

export function drawSecret(
  world: World,
  purpose: string,
): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = world.random.bytes(purpose, world.random.next(purpose));
  return { preimage: toHex(preimage), paymentHash: toHex(sha256(preimage)) };
}

export function encodeInvoice(
  world: World,
  purpose: string,
  draft: Omit<BareBolt11, 'paymentSecret'>,
): string {
  const secret = `${purpose}/secret`;
  const paymentSecret = toHex(world.random.bytes(secret, world.random.next(secret)));
  return writeBolt11(world, `${purpose}/node`, { ...draft, paymentSecret });
}

export function createOutsideInvoice(world: World, draft: OutsideDraft): string {
  const {
    sat,
    msat = sat && `${sat}000`,
    description = 'outside',
    expirySeconds = 3_600,
    route = 'good',
    network = NETWORK,
  } = draft;
  const { preimage, paymentHash } = drawSecret(world, 'outside/preimage');
  const text = encodeInvoice(world, 'outside', {
    amountMsat: msat,
    paymentHash,
    description,
    expirySeconds,
    network,
  });
  outsideInvoices(world).set(paymentHash, {
    paymentHash,
    preimage,
    route,
    running: false,
    paid: false,
  });
  return text;
}

export function drawAddress(world: World, purpose: string): string {
  const program = toHex(
    world.random
      .bytes(`${purpose}/address`, world.random.next(`${purpose}/address`))
      .subarray(0, 20),
  );
  return fallbackAddress({ version: 0, program }, NETWORK);
}

/**
 * Returns the receiver for a BOLT11 invoice: an account in the sandbox or an external
 * wallet.
 */
export function lightningReceiver(world: World, text: string): Receiver {
  const invoice = readInvoice(text);
  const { paymentHash } = invoice;
  const quote = quoteStore(world).byHash.get(paymentHash);
  if (quote) return invoiceReceiver(world, quote);
  const request = requestStore(world).byHash.get(paymentHash);
  if (request?.bolt11) return bolt11Receiver(world, request, request.bolt11);
  return outsideReceiver(world, invoice, outsideInvoices(world).get(paymentHash));
}

export function readInvoice(text: string): Bolt11 {
  try {
    const invoice = decodeBolt11(text);
    if (invoice.network === NETWORK) return invoice;
  } catch {
    // refused below, because the invoice is invalid
  }
  throw new ServiceRefusal('INVALID_LN_INVOICE', { activeNetwork: NETWORK });
}

/** Returns an invoice's amount, rounded up to whole satoshi. */
function toSats({ amountMsat }: Bolt11): Money | undefined {
  return amountMsat === undefined
    ? undefined
    : roundMoney(fromMsat(amountMsat), { rounding: 'up', digits: 8 });
}

function outsideReceiver(
  world: World,
  invoice: Bolt11,
  known: OutsideInvoice | undefined,
): Receiver {
  return {
    rail: 'lightning',
    account: undefined,
    sats: toSats(invoice),
    description: invoice.description,
    preimage: known?.preimage,
    check(_payer, executing) {
      if (known?.paid) throw new ServiceRefusal('LN_INVOICE_PROCESSED');
      if (isBolt11Expired(invoice, world.clock.now()))
        throw new ServiceRefusal('INVALID_STATE_FOR_INVOICE_EXPIRED');
      if (known?.running) throw new ServiceRefusal('PROCESSING_PAYMENT');
      if (!known || known.route === 'none' || (executing && known.route === 'lost'))
        throw new ServiceRefusal('LN_ROUTE_NOT_FOUND');
    },
    credit: (_amount, sats) => ({ to: 'ln', money: sats }),
    begin() {
      known!.running = true;
      return (arrived) => {
        known!.running = false;
        known!.paid = arrived !== undefined;
      };
    },
  };
}

/**
 * Returns an external wallet with a Lightning address as the receiver. Each payment gets its own
 * preimage.
 */
function nameReceiver(world: World, description: string, isReached: boolean): Receiver {
  return {
    rail: 'lightning',
    account: undefined,
    description,
    preimage: drawSecret(world, 'lnurl/preimage').preimage,
    check: () => {
      if (!isReached) throw new ServiceRefusal('LN_ROUTE_NOT_FOUND');
    },
    credit: (_amount, sats) => ({ to: 'ln', money: sats }),
    begin: () => () => {},
  };
}

export function onchainReceiver(world: World, text: string): Receiver {
  const address = readAddress(text);
  const request = requestStore(world).byAddress.get(address);
  if (request) return addressReceiver(world, request);
  return {
    rail: 'onchain',
    account: undefined,
    check: () => {},
    credit: (_amount, sats) => ({ to: 'chain', money: sats }),
    begin: () => () => {},
  };
}

export function readAddress(text: string): string {
  try {
    const address = decodeAddress(text);
    if (address.networks.includes(NETWORK)) return address.text;
  } catch {
    // refused below, because the address is invalid
  }
  throw new ServiceRefusal('INVALID_BITCOIN_ADDRESS');
}

/** A Lightning address, with the amounts that it accepts. */
interface Name {
  readonly text: string;
  readonly least: number;
  readonly most: number;
  readonly comment: number | undefined;
  readonly isReached: boolean;
  /** Account that owns the Lightning address. Absent for external wallets. */
  readonly account?: Account;
}

const OUTSIDE = 'wallet.example';
const INSIDE = 'sandbox.invalid';

/**
 * External wallets with a Lightning address. One accepts comments, one doesn't, and one can't be
 * reached.
 */
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

function findName(world: World, given: string): Name {
  const [, domain, name = ''] =
    /^https:\/\/([^/]+)\/\.well-known\/lnurlp\/([^/?#]+)$/.exec(decodeUrl(given)) ?? [];
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

/**
 * Returns the URL behind a Lightning address or LNURL, or an empty string if the text is neither.
 */
function decodeUrl(text: string): string {
  for (const read of [parseLightningAddress, decodeLnurl]) {
    try {
      return read(text).url;
    } catch {
      // continue with the other format
    }
  }
  return '';
}

export function findDetails(world: World, given: string): LnurlDetails {
  const { text, least, most, comment } = findName(world, given);
  const shown = {
    minSendable: least,
    maxSendable: most,
    metadata: JSON.stringify([['text/plain', text]]),
    commentAllowed: comment ?? null,
    tag: 'payRequest',
  };
  return shown as unknown as LnurlDetails; // clients parse null as absent
}

/**
 * Returns the receiver behind a Lightning address or LNURL, which may be an account in the sandbox.
 */
export function lnurlReceiver(
  world: World,
  payer: Account,
  given: string,
  amount: Money,
  comment: string | undefined,
): Receiver {
  requireNoPolicy(amount);
  const name = findName(world, given);
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

/**
 * Rejects a fee policy, because payments to a Lightning address always deliver the exact amount.
 */
function requireNoPolicy(amount: SpendAmount): void {
  if ((amount.feePolicy ?? undefined) !== undefined)
    throw invalidData([wrongValue('amount.feePolicy', 'is not taken here')]);
}

/**
 * Returns an account as the receiver. Its invoice is created when the payment starts, so a quote
 * alone doesn't create an invoice.
 */
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
    credit: () => ({ to: listSubAccounts(account).free, money: amount }),
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
  throw invalidData([
    most === undefined
      ? wrongValue('description', 'is not accepted by this receiver')
      : longText('description', most),
  ]);
}

function requireBetween({ least, most }: Name, sats: Money): void {
  const [low, high] = [fromMsat(`${least}`), fromMsat(`${most}`)];
  if (compareMoney(sats, low) < 0) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: low });
  if (compareMoney(sats, high) > 0) throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit: high });
}
