import { invoiceStates } from './invoices.ts';
import { paymentStates } from './payments.ts';
import type * as registry from './registry.ts';

type Registered = (typeof registry)[keyof typeof registry]['resource'];

/** Name of a resource type that can be watched. */
export type ResourceName = Extract<Registered, Readonly<Record<'watch', object>>>['name'];

/** Value types of all resources, by resource name. */
export type ResourceValues = {
  readonly [One in Registered as One['name']]: Parameters<One['idOf']>[0];
};

/**
 * Checks whether a state is usually final. Settled states have the same names across all resources,
 * so checking two state machines is enough.
 */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((states) => states.isSettled(state));
}
