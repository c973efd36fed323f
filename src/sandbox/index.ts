import { buildSandbox } from './build.ts';
import { createVirtualClock } from './time/clock.ts';
import type { Sandbox, SandboxOptions } from './model.ts';
import { courierOf, isReal, startOf } from './options.ts';
import { createRealClock } from './time/real-clock.ts';

export type { Source } from './assumptions.ts';
export { behaviours } from './assumptions.ts';
export type { DeliveryFault, DeliveryFaultRule } from './webhooks/delivery-faults.ts';
export type { FaultAction, FaultRule, InsteadAction } from './http/faults.ts';
export type { FilterLimit } from './http/lists.ts';
export type { Ledger, Posting } from './money/ledger.ts';
export type { Movable } from './nouns/moves.ts';
export type { OutcomeOf, OutcomeRule } from './nouns/outcomes.ts';
export type { OutsideDraft, Route } from './nouns/outside.ts';
export type { Sandbox, SandboxConnectionOptions, SandboxOptions } from './model.ts';
export type { Settlement } from './http/labels.ts';
export type { LogEntry } from './http/network.ts';
export type { Rewrite } from './http/rewrite.ts';
export type { RetryAfter } from './http/service.ts';
export type { EventFault, EventFaultRule } from './nouns/event-faults.ts';
export type { OAuthClientDraft, SandboxLogin, SandboxOAuth, Visitor } from './oauth/model.ts';
export { SandboxObject, type SandboxObjectOptions } from './object/object.ts';
export type { Payer, PayOptions, Receipt } from './payer.ts';
export type { Relied, Strictness } from './reliance.ts';
export type { Shown } from './show.ts';
export type { DeliveryEntry } from './webhooks/post-office.ts';
export type { FirstCheck, QuoteValidity, SandboxAccount } from './world.ts';

/**
 * Makes a payments service that lives in this process: no account, no network, time that can be moved.
 *
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = createClient(sandbox.connection);
 * const invoice = await sandbox.run(client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }));
 * await sandbox.payer.pay(invoice.invoiceId);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const clock = isReal(options) ? createRealClock() : createVirtualClock(startOf(options));
  return buildSandbox(options, clock, courierOf(options, clock)).sandbox;
}
