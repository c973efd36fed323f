import { invoiceStates } from './invoices.ts';
import { paymentStates } from './payments.ts';
import type * as registry from './registry.ts';

type Registered = (typeof registry)[keyof typeof registry]['resource'];

/** The name of a resource that can be watched. */
export type ResourceName = Extract<Registered, Readonly<Record<'watch', object>>>['name'];

/** The value that is read for each name of a resource. */
export type ResourceValues = {
  readonly [One in Registered as One['name']]: Parameters<One['idOf']>[0];
};

/**
 * Tells whether nothing more is expected in this state. The names of settled states mean the same
 * in all resources, so the tables of two resources are enough.
 */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((states) => states.isSettled(state));
}
