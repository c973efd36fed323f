import { invoiceStates } from './invoices.ts';
import { paymentStates } from './payments.ts';
import type * as registry from './registry.ts';

type Registered = (typeof registry)[keyof typeof registry]['resource'];

/** The name of a resource that can be watched. */
export type ResourceName = Extract<Registered, Readonly<Record<'watch', object>>>['name'];

/** The value of each resource, by name. */
export type ResourceValues = {
  readonly [One in Registered as One['name']]: Parameters<One['idOf']>[0];
};

/**
 * Checks whether no further change is expected in this state. Settled states mean the same in all
 * resources, so the tables of two resources are enough.
 */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((states) => states.isSettled(state));
}
