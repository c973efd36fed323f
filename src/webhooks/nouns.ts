import type { CallOptions, Connection } from '../core/http/index.ts';
import { subjectOf } from '../resources/events/types.ts';
import type { Invoice } from '../resources/invoices/model.ts';
import { type InvoiceState, invoiceStates } from '../resources/invoices/states.ts';
import { get } from '../resources/invoices/operations.ts';
import type { StateMachine } from '../resources/state-machine.ts';

// The nouns whose states an inbox reads: one member here and one line in the table for each.

/** What is read, and the states that it is known to have. */
export interface Nouns {
  readonly invoice: { readonly value: Invoice; readonly state: InvoiceState };
}

export type Noun = keyof Nouns;

/** What an inbox reads of any noun. */
export type Value = Nouns[Noun]['value'];

interface Reading<N extends Noun> {
  readonly life: StateMachine<string>;
  idOf(value: Nouns[N]['value']): string;
  get(connection: Connection, id: string, options: CallOptions): Promise<Nouns[N]['value']>;
}

export const NOUNS: { readonly [N in Noun]: Reading<N> } = {
  invoice: { life: invoiceStates, idOf: ({ invoiceId }) => invoiceId, get },
};

/** The noun of an event's entity, where an inbox reads that noun. */
export function readNoun(eventType: string): Noun | undefined {
  const noun = subjectOf(eventType);
  return noun && Object.hasOwn(NOUNS, noun) ? (noun as Noun) : undefined;
}

/** The handler's name for a state, such as `invoicePaid`. */
export function handlerOf(noun: Noun, state: string): string {
  return noun + state.slice(0, 1).toUpperCase() + state.slice(1).toLowerCase();
}
