import { buildSandbox, type Sandbox } from './host/sandbox.ts';
import {
  createRealClock,
  createSelfMovingClock,
  createVirtualClock,
  warnWhereStill,
} from './time/clock.ts';
import { type SandboxOptions, chooseWarn } from './host/options.ts';
import { sandboxOptionsSchema } from './host/option-schemas.ts';
import { functionTransport, networkTransport, noTransport } from './webhooks/transport.ts';
import { requireValid } from './world/checked.ts';

export { type BehaviourId, behaviours, type Provenance } from './provenance/recorder.ts';
export type {
  DeliveryFault,
  DeliveryFaultRule,
  EventFault,
  EventFaultRule,
  UnusedFault,
  FaultAction,
  FaultRule,
  InsteadAction,
  StateSubject,
  StateRule,
} from './faults/rules.ts';
export type { FilterLimits } from './query/lists.ts';
export type { Ledger, Posting, Settlement } from './ledger/ledger.ts';
export type { Movable } from './resources/moves.ts';
export type { OutsideDraft, Route } from './resources/destinations.ts';
export type { Sandbox, SandboxClient } from './host/sandbox.ts';
export type { PayOptions, SandboxClientOptions, SandboxOptions } from './host/options.ts';
export type { LogEntry } from './service/network.ts';
export type { Rewrite } from './faults/rewrite.ts';
export type { OAuthClientDraft } from './oauth/grants.ts';
export type { SandboxLogin, SandboxOAuth, Visitor } from './oauth/login-server.ts';
export { SandboxObject, type SandboxObjectOptions } from './host/host.ts';
export type { Payer, Receipt } from './host/payer.ts';
export type { SandboxAssumption, AssumptionId, Assumptions } from './provenance/alternatives.ts';
export type { BehaviourUse, Strictness } from './provenance/recorder.ts';
export type { Inspection } from './host/inspect.ts';
export type { DeliveryEntry } from './webhooks/deliveries.ts';
export type { QuoteLifetimes, SandboxAccount } from './world/world.ts';

const START = 1_767_603_600_000; // 2026-01-05T09:00:00Z

/**
 * Creates a simulated payments service in your process. It needs no account and no network, and you
 * control its time.
 *
 * @example
 * const sandbox = createSandbox({ seed: 7 });
 * const client = createClient(sandbox.clientOptions);
 * const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
 * await sandbox.payer.pay(invoice.invoiceId);
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  requireValid(sandboxOptionsSchema, options, 'options');
  const { clock: kind = 'auto', startAt = START, deliver, allowHosts = [] } = options;
  const isReal = kind === 'real';
  const virtual = kind === 'virtual' ? createVirtualClock : createSelfMovingClock;
  const clock = isReal ? createRealClock() : warnWhereStill(virtual(startAt), chooseWarn(options));
  let transport = noTransport;
  if (deliver === 'network') transport = networkTransport(allowHosts, clock);
  else if (deliver) transport = functionTransport(deliver, clock);
  return buildSandbox(options, clock, transport, isReal).sandbox;
}
