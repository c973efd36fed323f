import type { Clock } from '../core/time.ts';
import type { ServiceEvent } from '../resources/events.ts';

/** A receiver of webhooks: such as `inbox.handle`, or a request to a server. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/**
 * What a receiver does wrong: `refuses-good`: a delivery of the service is not answered with 2xx ·
 * `signature-not-checked`: a forged one is; the check is missing, or its promise is not awaited ·
 * `body-parsed`: the signature is checked over a body that was parsed and written anew ·
 * `ends-subscription`: 410, 501 or a redirect, after which the service may never deliver again ·
 * `too-slow`: no response in five seconds · `answers-after-work`: the response waits for the work ·
 * `never-handled` · `handled-twice`: once more for an event, or for another event of the same state
 * · `trusts-body`: work was done for what the service does not know · `forgets`: an event that was
 * answered with 2xx was lost, or done again, when the process ended.
 */
export type TortureMistakeKind =
  | 'refuses-good'
  | 'signature-not-checked'
  | 'body-parsed'
  | 'ends-subscription'
  | 'too-slow'
  | 'answers-after-work'
  | 'never-handled'
  | 'handled-twice'
  | 'trusts-body'
  | 'forgets';

/** One thing that a receiver does wrong. */
export interface TortureMistake {
  /** What it is. */
  readonly kind: TortureMistakeKind;
  /** What was sent and what happened, in words. */
  readonly message: string;
}

/** How a receiver is tried. What is absent cannot be tried, and is named in the report. */
export interface TortureOptions {
  /** Secret that the receiver checks signatures with. */
  readonly secret: string;
  /** Address of the requests; https://shop.example/hooks. */
  readonly url?: string | undefined;
  /**
   * Makes a resource of the service that has come to the state which the receiver works for, such
   * as a paid invoice in the sandbox; resolves to an event about it. Called several times.
   */
  readonly event?: (() => ServiceEvent | Promise<ServiceEvent>) | undefined;
  /** How often the receiver has done its work for this resource so far. */
  readonly effects?: ((entityId: string) => number | Promise<number>) | undefined;
  /** Ends the receiver at once and begins another with the same storage; resolves to that one. */
  readonly restart?: (() => WebhookHandler | Promise<WebhookHandler>) | undefined;
  /** Longest time for the work to be done after a response, milliseconds; 10,000. */
  readonly workTimeout?: number | undefined;
  /** Time; the machine's own. */
  readonly clock?: Clock | undefined;
}

/** What came of it. */
export interface TortureReport {
  /** One of each kind; none where the receiver does nothing wrong that could be tried. */
  readonly mistakes: readonly TortureMistake[];
  /** What was not tried, and why. */
  readonly skipped: readonly string[];
  /** Requests that were sent. */
  readonly requests: number;
}
