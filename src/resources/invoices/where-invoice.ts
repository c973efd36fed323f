import type { Open } from '../../core/errors/index.ts';
import {
  type OrderedTimeField,
  type Condition,
  type TextField,
  textField,
  timeField,
} from '../../core/lists/index.ts';
import type { CurrencyCode } from '../amounts/model.ts';
import type { InvoiceId } from './model.ts';
import type { InvoiceState } from './states.ts';

/** What invoices can be listed by. */
export interface InvoiceFields {
  /** Its id. */
  readonly invoiceId: TextField<'invoice', InvoiceId>;
  /** Where it stands. */
  readonly state: TextField<'invoice', Open<InvoiceState>>;
  /** The caller's own name for it. */
  readonly correlationId: TextField<'invoice', string>;
  /** Currency of its amount. */
  readonly currency: TextField<'invoice', Open<CurrencyCode>>;
  /** Account that made it. */
  readonly issuerId: TextField<'invoice', string>;
  /** Account that is credited. */
  readonly receiverId: TextField<'invoice', string>;
  /** Account that it was made for. */
  readonly payerId: TextField<'invoice', string>;
  /** When it was made. */
  readonly created: OrderedTimeField<'invoice'>;
}

/**
 * Makes a condition for `client.invoices.list`: values stay values, whatever they hold. Nothing is
 * sent.
 *
 * @param build gets the fields, returns what must hold
 * @throws InputError for a date that is none
 * @example
 * const late = whereInvoice((f) =>
 *   f.created.lt('2026-03-04T09:15:00Z').and(f.state.eq('UNPAID').or(f.state.eq('PENDING'))),
 * );
 * for await (const invoice of client.invoices.list(late)) console.log(invoice.invoiceId);
 */
export function whereInvoice(
  build: (fields: InvoiceFields) => Condition<'invoice'>,
): Condition<'invoice'> {
  return build({
    invoiceId: textField('invoiceId'),
    state: textField('state'),
    correlationId: textField('correlationId'),
    currency: textField('currency'),
    issuerId: textField('issuerId'),
    receiverId: textField('receiverId'),
    payerId: textField('payerId'),
    created: timeField('created'),
  });
}
