import { buildSandbox } from './host/build.ts';
import { createVirtualClock } from './time/clock.ts';
import { warnWhereStill } from './time/still-clock.ts';
import type { Sandbox } from './host/model.ts';
import type { SandboxOptions } from './host/options.ts';
import { transportOf, isReal, startTimeOf } from './host/options.ts';
import { createRealClock } from './time/real-clock.ts';

export type { BehaviourId, Provenance } from './provenance/behaviours.ts';
export { behaviours } from './provenance/behaviours.ts';
export type { DeliveryFault, DeliveryFaultRule } from './faults/delivery-faults.ts';
export type { FaultAction, FaultRule, InsteadAction } from './faults/request-faults.ts';
export type { FilterLimits } from './query/lists.ts';
export type { Ledger, Posting } from './ledger/ledger.ts';
export type { Movable } from './resources/moves.ts';
export type { StateSubject, StateRule } from './faults/state-rules.ts';
export type { OutsideDraft, Route } from './resources/outside.ts';
export type { Sandbox, SandboxClient, SandboxClientOptions } from './host/model.ts';
export type { SandboxOptions } from './host/options.ts';
export type { Settlement } from './ledger/settlements.ts';
export type { LogEntry } from './service/network.ts';
export type { Rewrite } from './faults/rewrite.ts';
export type { RetryAfterFormat } from './service/service.ts';
export type { EventFault, EventFaultRule } from './faults/event-faults.ts';
export type { OAuthClientDraft } from './oauth/clients.ts';
export type { SandboxLogin, SandboxOAuth } from './oauth/model.ts';
export type { Visitor } from './oauth/authorize.ts';
export { SandboxObject, type SandboxObjectOptions } from './host/sandbox-object.ts';
export type { Payer, PayOptions, Receipt } from './host/payer.ts';
export type { BehaviourUse, Strictness } from './provenance/recorder.ts';
export type { Inspection } from './host/inspect.ts';
export type { DeliveryEntry } from './webhooks/delivery-log.ts';
export type { FirstCheck, QuoteLifetimes, SandboxAccount } from './world/world.ts';

/**
 * Makes a payments service that lives in this process: no account, no network, time that can be
 * moved.
 *
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = createClient(sandbox.clientOptions);
 * const invoice = await sandbox.run(
 *   client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }),
 * );
 * await sandbox.payer.pay(invoice.invoiceId);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const clock = isReal(options)
    ? createRealClock()
    : warnWhereStill(createVirtualClock(startTimeOf(options)));
  return buildSandbox(options, clock, transportOf(options, clock), isReal(options)).sandbox;
}
