import { type Connection, internals } from '../core/http/index.ts';
import { millisOf } from '../core/time/index.ts';
import { bolt11Link, bolt11QrText } from '../lightning/index.ts';
import type { InvoiceQuote } from '../resources/invoices/model.ts';
import { type OnchainWay, onchainOf } from './onchain.ts';
import type { CheckoutQuote } from './quote.ts';

/** A time by both clocks: a monotonic one may stand still while a machine sleeps. */
export interface ClockReading {
  readonly monotonic: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
}

/** The time of a client. */
export function readClocks(client: Connection): ClockReading {
  const { clock } = client[internals];
  return { monotonic: clock.monotonic(), wall: clock.now() };
}

/** A checked code with what renewal needs to know of it. */
export interface HeldQuote extends OnchainWay {
  readonly quote: CheckoutQuote;
  readonly validity: number;
  /** Its end by the wall clock of this machine. */
  readonly endsAt: number;
  /** Its end by the clock of the service, milliseconds since 1970. */
  readonly expiration: number | undefined;
  /** It replaces an earlier one. */
  readonly isRenewed: boolean;
  /**
   * The check of signatures could not be loaded: the payee may be another than that of the first
   * code.
   */
  readonly isPayeeUnknown: boolean;
  /** The ticker could not be read, or does not have this currency. */
  readonly isRateUnknown: boolean;
}

/** A code is taken off this long before its end, milliseconds. */
export const LAST_SECOND = 1_000;
/** How often a code on show is looked at, milliseconds. */
export const TICK = 1_000;
/** A look that is late by more than this, milliseconds, comes after a sleep. */
const SLEEP = 5_000;

/** The machine has slept since it looked last. */
export function sleptSince(last: ClockReading, { monotonic, wall }: ClockReading): boolean {
  return Math.max(monotonic - last.monotonic, wall - last.wall) > TICK + SLEEP;
}

/** What is left of a code, milliseconds, by the clock that says less. */
export function leftOf({ quote, endsAt }: HeldQuote, { monotonic, wall }: ClockReading): number {
  return Math.min(quote.expiresAt - monotonic, endsAt - wall);
}

/** After a pause: a code with less than this left is renewed before one is shown again. */
export function isWorthShowing(held: HeldQuote, at: ClockReading): boolean {
  return leftOf(held, at) >= Math.max(8_000, held.validity / 3);
}

/**
 * A checked quote as it is shown. `sentAt`: when it was asked for, so that its end is never
 * over-stated.
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
    expiration: millisOf(quote.expiration),
    ...marks,
    ...onchainOf(quote),
  };
}

const UNSIGNED = 'the signature is not compared: its check was not loaded';
const UNRATED = 'the rate is not compared: there is no ticker';

/** What a code could not be compared with, for who wants to know. */
export function unprovedOf({ isPayeeUnknown, isRateUnknown }: Partial<HeldQuote> = {}): string[] {
  return [isPayeeUnknown ? UNSIGNED : [], isRateUnknown ? UNRATED : []].flat();
}
