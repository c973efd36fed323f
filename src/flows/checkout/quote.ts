import { isPaystateError } from '../../core/errors/index.ts';
import {
  type Connection,
  internals,
  type Network,
  type Slot,
  stateOf,
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

/** A code that was checked and may be shown. */
export interface CheckoutQuote {
  /** The code as a BOLT11 text. */
  readonly lnInvoice: string;
  /** Address for a link that opens a wallet; lower case. */
  readonly link: string;
  /** Text of the QR code; upper case, which makes it smaller. */
  readonly qrText: string;
  /** The amount that the payer sends. */
  readonly amount: Money;
  /** End of the code on the client's monotonic clock, milliseconds; give it to `countdown`. */
  readonly expiresAt: number;
  /**
   * An on-chain address, where `includeOnchain` is set and the code contains one. It never expires
   * and has no rate.
   */
  readonly onchain?: string | undefined;
}

/** Values that a code is compared with, in addition to its invoice. */
interface Comparison {
  /** The code that was shown first. */
  readonly first: string | undefined;
  /** Reads the payee of a signature; without it, only payees that both codes name are compared. */
  readonly payeeOf: PayeeOf | undefined;
  /** The client's network. */
  readonly network: Network | undefined;
  readonly clock: Clock;
}

/** The code may expire this much later than the quote, because its expiry is rounded up. */
const ROUNDING_MS = 5_000;

/**
 * Compares a quote with its invoice and with the code that was shown first. Resolves to why the
 * code must not be shown; `undefined`: it may be shown.
 */
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

/** Compares the description with its hash; by BOLT 11 a code contains one of the two. */
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
 * Resolves to the SHA-256 of a text, hex; `undefined` where the platform has none, as in pages
 * without https.
 */
async function hashText(text: string): Promise<string | undefined> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return toHex(new Uint8Array(digest));
  } catch {
    return undefined;
  }
}

/** Returns the payee that signed a code; `undefined` where the signature is not valid. */
export type PayeeOf = typeof findPayee;

/** Longest time for loading; the previous code stays on show meanwhile. */
const LOAD_TIMEOUT_MS = 1_500;

/**
 * Loads the check of signatures, which is a fifth of the size of a checkout and is needed from the
 * second code on. Resolves to `undefined` where it cannot be loaded in time or `signal` aborts, and
 * never rejects.
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

/** Greatest age of the ticker. */
const TICKER_FRESH_MS = 60_000;
/** A ticker that the service refuses is not requested again for this long. */
const TICKER_REFUSED_MS = 600_000;
/** Longest wait of a code for the ticker. */
const TICKER_TIMEOUT_MS = 1_500;
/** A code may differ from the ticker by 5 %: the price moves, and the service may add its fee. */
const MIN_RATIO: Decimal = { digits: 95n, scale: 2 };
const MAX_RATIO: Decimal = { digits: 105n, scale: 2 };

/** The ticker as all checkouts of a client share it. `until`: on the monotonic clock. */
interface Ticker {
  rates: readonly QuotedRate[];
  until: number;
}

const TICKER: Slot<Ticker> = {
  name: 'flows.ticker',
  make: () => ({ rates: [], until: -Infinity }),
};

/**
 * Reads the ticker, once a minute for all checkouts of a client. Resolves to an empty list where it
 * cannot be read, and through a relay, which has no ticker for pages. Never rejects.
 */
export async function readTicker(
  client: Connection,
  signal: AbortSignal,
): Promise<readonly QuotedRate[]> {
  const { clock, dial } = client[internals];
  const ticker = stateOf(client, TICKER);
  const now = clock.monotonic();
  if (dial || now < ticker.until) return ticker.rates;
  try {
    const reason = 'compare a code with the ticker';
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
 * Tells whether the amount of a code is far from the invoice's amount by the ticker. `undefined`:
 * the ticker has no such rate. An amount in bitcoin has no rate.
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

/** A time on both clocks: the monotonic clock may stop while a machine sleeps. */
export interface ClockReading {
  readonly monotonic: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/** Reads both clocks of a client. */
export function readClocks(client: Connection): ClockReading {
  const { clock } = client[internals];
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** A checked code with what its renewal depends on. */
export interface HeldQuote extends OnchainWay {
  readonly quote: CheckoutQuote;
  readonly validity: number;
  /** Its end on the wall clock of this machine. */
  readonly endsAt: number;
  /** Its end on the clock of the service, milliseconds since 1970. */
  readonly expiration: number | undefined;
  /** The code replaces an earlier one. */
  readonly isRenewed: boolean;
  /**
   * The check of signatures could not be loaded, so the payee may differ from that of the first
   * code.
   */
  readonly isPayeeUnknown: boolean;
  /** The ticker could not be read, or does not have this currency. */
  readonly isRateUnknown: boolean;
}

/** A code is hidden this long before its end. */
export const HIDE_BEFORE_END_MS = 1_000;
/** Interval between checks of a code on show. */
export const TICK_MS = 1_000;
/** A check that is late by more than this shows that the machine has slept. */
const SLEEP_MS = 5_000;

/** Tells whether the machine has slept since the last check. */
export function sleptSince(last: ClockReading, { monotonic, wall }: ClockReading): boolean {
  return Math.max(monotonic - last.monotonic, wall - last.wall) > TICK_MS + SLEEP_MS;
}

/** Returns the time that is left of a code, milliseconds, by the clock that says less. */
export function measureLeft(
  { quote, endsAt }: HeldQuote,
  { monotonic, wall }: ClockReading,
): number {
  return Math.min(quote.expiresAt - monotonic, endsAt - wall);
}

/**
 * Tells whether a code has enough time left to be shown after a pause; else it is renewed first.
 */
export function isWorthShowing(held: HeldQuote, at: ClockReading): boolean {
  return measureLeft(held, at) >= Math.max(8_000, held.validity / 3);
}

/**
 * Turns a checked quote into a held one. Its end is counted from when it was requested, so it is
 * never overstated.
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

const UNSIGNED = 'the signature is not compared: its check was not loaded';
const UNRATED = 'the rate is not compared: there is no ticker';

/** Returns what a code could not be compared with, as texts for `status()`. */
export function listUnproved({ isPayeeUnknown, isRateUnknown }: Partial<HeldQuote> = {}): string[] {
  return [isPayeeUnknown ? UNSIGNED : [], isRateUnknown ? UNRATED : []].flat();
}

/** The on-chain address of a code, and what keeps the two from being shown. */
interface OnchainWay {
  /** The one address that the code contains. */
  readonly onchain?: string | undefined;
  /** Why the code must not be shown with its address. */
  readonly onchainProblem?: QuoteProblem;
  /** Why the code must not be shown without its address: wallets find the address in the code. */
  readonly fallbackProblem?: QuoteProblem;
}

/**
 * Reads the on-chain address of a code. An address never expires and has no rate, and wallets read
 * it from the code. An address that the signed code does not contain, or that differs from the
 * quote's, is not shown. Only segwit addresses are compared.
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
