import { isPaystateError } from '../../core/errors/index.ts';
import {
  type Connection,
  internals,
  type Network,
  type Slot,
  slotState,
} from '../../core/http/index.ts';
import { toHex } from '../../core/platform.ts';
import { type Clock, parseMillis } from '../../core/time.ts';
import { type Bolt11, readBolt11, segwitFallback, splitSignature } from '../../lightning/bolt11.ts';
import { bolt11Link, bolt11QrText, decodeBolt11 } from '../../lightning/index.ts';
import type { findPayee } from '../../lightning/payee.ts';
import { compare, type Decimal, multiply, parseDecimal } from '../../money/decimal.ts';
import { fromMsat, isSameMoney, type Money } from '../../money/index.ts';
import type { QuotedRate } from '../../resources/amounts.ts';
import type { Invoice, InvoiceQuote } from '../../resources/invoices.ts';
import { list } from '../../resources/rates.ts';

/** Why a code must not be shown. */
export type QuoteProblem =
  | 'QUOTE_UNREADABLE'
  | 'QUOTE_AMOUNT_DIFFERS'
  | 'QUOTE_PRICE_DIFFERS'
  | 'QUOTE_RATE_DIFFERS'
  | 'QUOTE_DESCRIPTION_DIFFERS'
  | 'QUOTE_END_DIFFERS'
  | 'QUOTE_NETWORK_DIFFERS'
  | 'QUOTE_NETWORK_CHANGED'
  | 'QUOTE_PAYEE_CHANGED'
  | 'QUOTE_HAS_ONCHAIN'
  | 'QUOTE_ONCHAIN_DIFFERS';

/** A code that passed the checks, so you can show it. */
export interface CheckoutQuote {
  /** The payment code, a BOLT11 invoice. */
  readonly lnInvoice: string;
  /** The link that opens a wallet, in lower case. */
  readonly link: string;
  /** The text to encode in the QR code. It's in upper case, which makes the QR code smaller. */
  readonly qrText: string;
  /** The amount that the payer sends. */
  readonly amount: Money;
  /**
   * When the code expires, in milliseconds on the client's monotonic clock. Pass it to `countdown`.
   */
  readonly expiresAt: number;
  /**
   * The on-chain address in the code, if there's one and `includeOnchain` is set. It never expires
   * and has no fixed rate.
   */
  readonly onchain?: string | undefined;
}

/** The data that a code is compared with, in addition to its invoice. */
interface Comparison {
  /** The first code that was shown. */
  readonly first: string | undefined;
  /**
   * Recovers the payee from a signature. If absent, payees are only compared if both codes contain
   * one.
   */
  readonly payeeOf: PayeeOf | undefined;
  readonly network: Network | undefined;
  readonly clock: Clock;
}

/**
 * A code may expire this much later than its quote, because the service rounds up the code's
 * expiry.
 */
const ROUNDING_MS = 5_000;

/** Resolves to the reason a code must not be shown, or to `undefined` if it can be shown. */
export async function findProblem(
  invoice: Invoice,
  quote: InvoiceQuote,
  { first, payeeOf, network, clock }: Comparison,
): Promise<QuoteProblem | undefined> {
  try {
    const code = decodeBolt11(quote.lnInvoice);
    if (network !== undefined && code.network !== network) return 'QUOTE_NETWORK_DIFFERS';
    return (
      differenceFromInvoice(invoice, quote, code) ??
      (await differenceInHash(invoice, quote, code, clock)) ??
      (first === undefined ? undefined : differenceFromFirst(quote.lnInvoice, first, payeeOf))
    );
  } catch (thrown) {
    if (!isPaystateError(thrown)) throw thrown;
    return 'QUOTE_UNREADABLE';
  }
}

function describeInvoice(invoice: Invoice, quote: InvoiceQuote): string {
  return quote.description ?? invoice.description ?? '';
}

function differenceFromInvoice(
  invoice: Invoice,
  quote: InvoiceQuote,
  code: Bolt11,
): QuoteProblem | undefined {
  if (!isSameMoney(quote.targetAmount, invoice.amount)) return 'QUOTE_PRICE_DIFFERS';
  if (!code.amountMsat || !isSameMoney(quote.sourceAmount, fromMsat(code.amountMsat)))
    return 'QUOTE_AMOUNT_DIFFERS';
  if (code.description !== undefined && code.description !== describeInvoice(invoice, quote))
    return 'QUOTE_DESCRIPTION_DIFFERS';
  const end = parseMillis(quote.expiration);
  if (end === undefined || code.expiresAt > end + ROUNDING_MS) return 'QUOTE_END_DIFFERS';
  return undefined;
}

/**
 * Compares the description with the code's description hash. A BOLT11 invoice contains either the
 * description or its hash.
 */
async function differenceInHash(
  invoice: Invoice,
  quote: InvoiceQuote,
  { descriptionHash }: Bolt11,
  clock: Clock,
): Promise<QuoteProblem | undefined> {
  if (descriptionHash === undefined) return undefined;
  const hash = await clock.external(hashText(describeInvoice(invoice, quote)));
  return hash === descriptionHash ? undefined : 'QUOTE_DESCRIPTION_DIFFERS';
}

function differenceFromFirst(
  text: string,
  first: string,
  payeeOf: PayeeOf | undefined,
): QuoteProblem | undefined {
  const [before, now] = [readBolt11(first), readBolt11(text)];
  if (before.invoice.network !== now.invoice.network) return 'QUOTE_NETWORK_CHANGED';
  const [was, is] = payeeOf
    ? [payeeOf(splitSignature(before)), payeeOf(splitSignature(now))]
    : [before.invoice.payee, now.invoice.payee];
  if (payeeOf && !(was && is)) return 'QUOTE_UNREADABLE';
  return was && is && was !== is ? 'QUOTE_PAYEE_CHANGED' : undefined;
}

/**
 * Resolves to the hex-encoded SHA-256 hash of a string, or to `undefined` if Web Crypto isn't
 * available, for example on a page without HTTPS.
 */
async function hashText(text: string): Promise<string | undefined> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return toHex(new Uint8Array(digest));
  } catch {
    return undefined;
  }
}

/** Returns the payee who signed a code, or `undefined` if the signature is invalid. */
export type PayeeOf = typeof findPayee;

/** How long the previous code may stay visible while the module that checks signatures loads. */
const LOAD_TIMEOUT_MS = 1_500;

/**
 * Loads the module that checks signatures. It makes up a fifth of the checkout's bundle size and
 * isn't needed until the second code. Resolves to `undefined` if it can't be loaded in time or
 * `signal` aborts. Never rejects.
 */
export async function loadPayeeReader(
  clock: Clock,
  signal: AbortSignal,
): Promise<PayeeOf | undefined> {
  const loaded = import('../../lightning/payee.ts').then(
    (module) => module.findPayee,
    () => undefined,
  );
  const late = clock.wait(LOAD_TIMEOUT_MS, signal).then(() => undefined);
  return Promise.race([clock.external(loaded), late]);
}

const TICKER_FRESH_MS = 60_000;
/** How long to pause after the service refuses to return exchange rates. */
const TICKER_REFUSED_MS = 600_000;
const TICKER_TIMEOUT_MS = 1_500;
/**
 * How far a code's rate may differ from the ticker's. The limit is 5 %, because prices move and the
 * service may include its fee.
 */
const MIN_RATIO: Decimal = { digits: 95n, scale: 2 };
const MAX_RATIO: Decimal = { digits: 105n, scale: 2 };

/**
 * Exchange rates shared by all checkouts of a client. `until` is a time on the monotonic clock.
 */
interface Ticker {
  rates: readonly QuotedRate[];
  until: number;
}

const TICKER: Slot<Ticker> = {
  name: 'flows.ticker',
  make: () => ({ rates: [], until: -Infinity }),
};

/**
 * Reads the exchange rates, at most once a minute per client. Resolves to an empty list if the read
 * fails. Behind a relay, the list is always empty, because the relay doesn't offer rates to pages.
 * Never rejects.
 */
export async function readTicker(
  client: Connection,
  signal: AbortSignal,
): Promise<readonly QuotedRate[]> {
  const { clock, dial } = client[internals];
  const ticker = slotState(client, TICKER);
  const now = clock.monotonic();
  if (dial || now < ticker.until) return ticker.rates;
  try {
    const reason = 'compare the code with the ticker';
    const limits = {
      callTimeout: TICKER_TIMEOUT_MS,
      queueTimeout: TICKER_TIMEOUT_MS,
      maxAttempts: 1,
    };
    ticker.rates = await list(client, { signal, reason, ...limits });
    ticker.until = now + TICKER_FRESH_MS;
  } catch (thrown) {
    ticker.rates = [];
    if (isPaystateError(thrown) && thrown.kind === 'refused')
      ticker.until = now + TICKER_REFUSED_MS;
  }
  return ticker.rates;
}

/**
 * Compares a code's amount with the invoice amount, converted at the ticker's rate. Returns
 * `undefined` if the ticker doesn't have that rate, for example if the invoice is in bitcoin.
 */
export function isFarFromTicker(
  { amount, currency }: Money,
  asked: Money,
  rates: readonly QuotedRate[],
): boolean | undefined {
  const rate = rates.find(
    (one) => one.sourceCurrency === asked.currency && one.targetCurrency === currency,
  );
  if (!rate) return undefined;
  const worth = multiply(parseDecimal(asked.amount), parseDecimal(rate.amount));
  const due = parseDecimal(amount);
  return (
    compare(worth, multiply(due, MIN_RATIO)) < 0 || compare(worth, multiply(due, MAX_RATIO)) > 0
  );
}

/**
 * The time on both clocks. Both are needed because the monotonic clock may stop while the machine
 * sleeps.
 */
export interface ClockReading {
  readonly monotonic: number;
  /** The wall clock, in milliseconds since 1970. */
  readonly wall: number;
}

export function readClocks(client: Connection): ClockReading {
  const { clock } = client[internals];
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

export interface HeldQuote extends OnchainWay {
  readonly quote: CheckoutQuote;
  readonly validity: number;
  /** When the quote expires, according to this machine's wall clock. */
  readonly endsAt: number;
  /** When the quote expires according to the service's clock, in milliseconds since 1970. */
  readonly expiration: number | undefined;
  readonly isRenewed: boolean;
  /**
   * Set if the signature check couldn't be loaded, in which case the payee may differ from the
   * first code's.
   */
  readonly isPayeeUnknown: boolean;
  /** Set if the exchange rates couldn't be read, or don't include this currency. */
  readonly isRateUnknown: boolean;
}

/** How long before its expiry a code is hidden. */
export const HIDE_BEFORE_END_MS = 1_000;
/** The interval between checks of a visible code. */
export const TICK_MS = 1_000;
/** If a check is this late, the machine must have been asleep. */
const SLEEP_MS = 5_000;

export function sleptSince(last: ClockReading, { monotonic, wall }: ClockReading): boolean {
  return Math.max(monotonic - last.monotonic, wall - last.wall) > TICK_MS + SLEEP_MS;
}

/**
 * Returns how much time a code has left, in milliseconds. If the two clocks disagree, the shorter
 * time counts.
 */
export function measureLeft(
  { quote, endsAt }: HeldQuote,
  { monotonic, wall }: ClockReading,
): number {
  return Math.min(quote.expiresAt - monotonic, endsAt - wall);
}

/**
 * Returns whether a code has enough time left to be shown again after a pause, without renewing it.
 */
export function isWorthShowing(held: HeldQuote, at: ClockReading): boolean {
  return measureLeft(held, at) >= Math.max(8_000, held.validity / 3);
}

/**
 * Converts a quote that passed the checks to one that can be shown. Its validity is counted from
 * the time of the request, so it's never overstated.
 */
export function toHeldQuote(
  quote: InvoiceQuote,
  { monotonic, wall }: ClockReading,
  marks: Pick<HeldQuote, 'isRenewed' | 'isPayeeUnknown' | 'isRateUnknown'>,
): HeldQuote {
  const validity = quote.expirationInSec * 1_000;
  return {
    quote: {
      lnInvoice: quote.lnInvoice,
      link: bolt11Link(quote.lnInvoice),
      qrText: bolt11QrText(quote.lnInvoice),
      amount: quote.sourceAmount,
      expiresAt: monotonic + validity,
    },
    validity,
    endsAt: wall + validity,
    expiration: parseMillis(quote.expiration),
    ...marks,
    ...chooseOnchain(quote),
  };
}

const UNSIGNED = 'the signature was not checked, because the verifier did not load';
const UNRATED = 'the rate was not checked, because there is no ticker';

/** Returns descriptions of the checks that were skipped for a code, for use in `status()`. */
export function listUnproved({ isPayeeUnknown, isRateUnknown }: Partial<HeldQuote> = {}): string[] {
  return [isPayeeUnknown ? UNSIGNED : [], isRateUnknown ? UNRATED : []].flat();
}

interface OnchainWay {
  /** The only address in the code. */
  readonly onchain?: string | undefined;
  /** Why the code must not be shown with its address. */
  readonly onchainProblem?: QuoteProblem;
  /**
   * Why the code must not be shown even without its address, since wallets can find the address in
   * the code.
   */
  readonly fallbackProblem?: QuoteProblem;
}

/**
 * Reads the on-chain address in a code. Wallets can find that address too. The address isn't shown
 * if the signed code doesn't contain it, or if it differs from the address in the quote. Only
 * segwit addresses are compared.
 */
function chooseOnchain({ lnInvoice, onchainAddress }: InvoiceQuote): OnchainWay {
  const { network, fallbacks } = decodeBolt11(lnInvoice);
  if (fallbacks.length === 0) return {};
  const addresses = fallbacks.map((fallback) => segwitFallback(fallback, network));
  const [onchain] = addresses;
  const fallbackProblem = 'QUOTE_HAS_ONCHAIN';
  const isOne = new Set([...addresses, onchainAddress?.toLowerCase() ?? onchain]).size === 1;
  return isOne && onchain
    ? { onchain, fallbackProblem }
    : { onchainProblem: 'QUOTE_ONCHAIN_DIFFERS', fallbackProblem };
}
