import { invoiceStates } from './invoices.ts';
import { paymentStates } from './payments.ts';
import type * as registry from './registry.ts';

type Registered = (typeof registry)[keyof typeof registry]['resource'];

/** A resource that can be watched, by its name. */
export type ResourceName = Extract<Registered, Readonly<Record<'watch', object>>>['name'];

/** What is read under each resource's name. */
export type ResourceValues = {
  readonly [One in Registered as One['name']]: Parameters<One['idOf']>[0];
};

/**
 * Nothing more is expected in this state, of whatever resource: settled states mean the same in all
 * of them.
 */
export function isSettled(state: string): boolean {
  return [invoiceStates, paymentStates].some((states) => states.isSettled(state));
}
