// The task of a process that may be killed, and its messages on standard output.
import type { MoneyResult } from 'paystate/flows';
import type { InboxCounts } from 'paystate/stores';

/** Time that goes `factor` times as fast as the machine's, the same in all processes of a life. */
export interface FastTime {
  /** When it began, by the machine's clock and by its own. */
  readonly started: number;
  readonly from: number;
  readonly factor: number;
}

interface PaymentOrder {
  readonly intent: string;
  readonly to: string;
  readonly amount: { readonly amount: string; readonly currency: string };
  readonly sourceCurrency: string;
}

interface PayoutOrder {
  readonly intent: string;
  readonly amount: string;
  readonly bankPaymentMethodId: string;
}

/** The work of a life, as its processes are told. */
export type Work =
  | { readonly kind: 'payments'; readonly orders: readonly PaymentOrder[] }
  | { readonly kind: 'payouts'; readonly orders: readonly PayoutOrder[] };

export interface MoneyTask {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly time: FastTime;
  readonly work: Work;
}

/** The store in which a process keeps what it must not forget. */
export type StoreKind = 'file' | 'postgresql' | 'object';

export interface Task {
  readonly store: StoreKind;
  /** A folder, or the address of a database. */
  readonly place: string;
  /** Prefix of its tables. */
  readonly prefix: string;
  /** Money that is moved; without it events are handled. */
  readonly money?: MoneyTask | undefined;
  /** Number of the point at which the process kills itself; 0 for none. */
  readonly killAt: number;
  /** Events that an earlier process has confirmed. */
  readonly kept: readonly string[];
  /** An earlier process has worked on it. */
  readonly isRestart: boolean;
  /** The store is an older copy, made then. */
  readonly restoredFrom?: number | undefined;
}

/** The end of a payment or a payout. */
export interface MoneyEnd {
  readonly phase: MoneyResult['phase'];
  readonly id: string | undefined;
}

/** The counts when all events have been handled. */
export interface EventsEnd extends InboxCounts {
  /** Effects of each event. */
  readonly counts: readonly number[];
  readonly cursor: { readonly floor?: number } | undefined;
}

/** The point at which a process was killed. */
export interface Point {
  readonly point: number;
  readonly name: string;
}

export type Said =
  | { readonly said: 'kept'; readonly id: string }
  | ({ readonly said: 'killed' } & Point)
  | Ended;

/** A process that was not killed. */
export type Ended =
  | { readonly said: 'moved'; readonly ends: readonly MoneyEnd[]; readonly points: number }
  | { readonly said: 'handled'; readonly found: EventsEnd; readonly points: number };

/** The end of a process. */
export type Life =
  | { readonly said: 'killed'; readonly at: Point; readonly kept: readonly string[] }
  | Ended;
