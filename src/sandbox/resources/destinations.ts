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
 * The reach of an outside wallet: `good` · `none`: no route when quoted · `lost`: no
 * route when executed.
 */
export type Route = 'good' | 'none' | 'lost';

/** A hash with its secret and its state. */
interface OutsideInvoice {
  readonly paymentHash: string;
  readonly preimage: string;
  readonly route: Route;
  /** A payment is on its way. */
  running: boolean;
  /** It has been paid. */
  paid: boolean;
}

/** A BOLT11 text of an outside wallet. */
export interface OutsideDraft {
  /** Whole satoshi as text; the payer chooses when absent. */
  readonly sat?: string | undefined;
  /** Whole millisatoshi as text, instead of `sat`. */
  readonly msat?: string | undefined;
  /** The description in the text; `outside`. */
  readonly description?: string | undefined;
  /** Seconds; 3,600. */
  readonly expirySeconds?: number | undefined;
  /** The outcome of payments to the wallet; `good`. */
  readonly route?: Route | undefined;
  /** Network of the text; `testnet`, the only one that this sandbox pays on. */
  readonly network?: Bolt11Draft['network'] | undefined;
}

/** Unless a state rule says otherwise. */
const UP = { state: 'AVAILABLE', delay: 0 };

/** Refuses while the Lightning network is away. */
export function requireLightning(world: World): void {
  if (chooseNextState(world, 'lightning', UP).state !== UP.state)
    throw new ServiceRefusal('LN_UNAVAILABLE');
}

/** Invoices of the outside world by their hashes. */
function outsideInvoices(world: World): Map<string, OutsideInvoice> {
  return getStore(world, 'outside', () => new Map());
}

/** A fresh secret and its hash. */
export function drawSecret(
  world: World,
  purpose: string,
): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = world.random.bytes(purpose, world.random.next(purpose));
  return { preimage: toHex(preimage), paymentHash: toHex(sha256(preimage)) };
}

/** Writes a BOLT11 text of a node of this world, with a fresh secret. */
export function encodeInvoice(
  world: World,
  purpose: string,
  draft: Omit<BareBolt11, 'paymentSecret'>,
): string {
  const secret = `${purpose}/secret`;
  const paymentSecret = toHex(world.random.bytes(secret, world.random.next(secret)));
  return writeBolt11(world, `${purpose}/node`, { ...draft, paymentSecret });
}

/** Makes a BOLT11 text of an outside wallet. */
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

/** A fresh segwit address, of an outside wallet or of an account. */
export function drawAddress(world: World, purpose: string): string {
  const program = toHex(
    world.random
      .bytes(`${purpose}/address`, world.random.next(`${purpose}/address`))
      .subarray(0, 20),
  );
  return fallbackAddress({ version: 0, program }, NETWORK);
}

/** The receiver behind a BOLT11 text: an account of the sandbox, an outside wallet, or nobody. */
export function lightningReceiver(world: World, text: string): Receiver {
  const invoice = readInvoice(text);
  const { paymentHash } = invoice;
  const quote = quoteStore(world).byHash.get(paymentHash);
  if (quote) return invoiceReceiver(world, quote);
  const request = requestStore(world).byHash.get(paymentHash);
  if (request?.bolt11) return bolt11Receiver(world, request, request.bolt11);
  return outsideReceiver(world, invoice, outsideInvoices(world).get(paymentHash));
}

/** What a BOLT11 text says, of this world's network. */
export function readInvoice(text: string): Bolt11 {
  try {
    const invoice = decodeBolt11(text);
    if (invoice.network === NETWORK) return invoice;
  } catch {
    // no invoice at all
  }
  throw new ServiceRefusal('INVALID_LN_INVOICE', { activeNetwork: NETWORK });
}

/** Millisatoshi are paid in whole satoshi, rounded up. */
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

/** An outside wallet with a Lightning address: each payment has a hash of its own. */
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

/** The receiver behind an address: a request of this world, or the chain. */
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

/** The address as it should be written, of this world's network. */
export function readAddress(text: string): string {
  try {
    const address = decodeAddress(text);
    if (address.networks.includes(NETWORK)) return address.text;
  } catch {
    // no address at all
  }
  throw new ServiceRefusal('INVALID_BITCOIN_ADDRESS');
}

/** The amounts that a Lightning address takes. */
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

/** The address behind the text; nothing for a text that is neither. */
function decodeUrl(text: string): string {
  for (const read of [parseLightningAddress, decodeLnurl]) {
    try {
      return read(text).url;
    } catch {
      // perhaps the other
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

/** The service takes no fee policy here: the receiver gets what was asked for. */
function requireNoPolicy(amount: SpendAmount): void {
  if ((amount.feePolicy ?? undefined) !== undefined)
    throw invalidData([wrongValue('amount.feePolicy', 'is not taken here')]);
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
      ? wrongValue('description', 'is not taken by this receiver')
      : longText('description', most),
  ]);
}

function requireBetween({ least, most }: Name, sats: Money): void {
  const [low, high] = [fromMsat(`${least}`), fromMsat(`${most}`)];
  if (compareMoney(sats, low) < 0) throw new ServiceRefusal('AMOUNT_TOO_LOW', { limit: low });
  if (compareMoney(sats, high) > 0) throw new ServiceRefusal('AMOUNT_TOO_HIGH', { limit: high });
}
