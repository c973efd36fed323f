import { isPaystateError, type PaystateError } from '../core/errors/index.ts';
import { checkClient, type Connection, internals } from '../core/http/index.ts';
import { countWait } from '../core/time.ts';
import { cancel, get, type Invoice, type InvoiceId } from '../resources/invoices.ts';

/** The outcome of `cancelInvoice`. */
export interface CancelResult {
  /**
   * `cancelled` means it can no longer be paid. `paid` means the payer was faster. `unknown` means
   * the outcome is unclear, or a payment arrived and went back, so check `invoice` and `error`.
   */
  readonly phase: 'cancelled' | 'paid' | 'unknown';
  /** The invoice as last read. Absent if it couldn't be read. */
  readonly invoice?: Invoice | undefined;
  /** Why the outcome is unknown. */
  readonly error?: PaystateError | undefined;
}

/** Longest pause while a payment is in progress. */
const MAX_PAUSE_MS = 16_000;

/**
 * Cancels an invoice, or resolves to `paid` if the payer was faster. In that case, the service's
 * refusal isn't an error. If a payment is in progress, waits for it for up to half a minute.
 *
 * @throws InputError for an invalid id
 *
 * @example
 * const { phase } = await cancelInvoice(client, invoice.invoiceId);
 * if (phase === 'paid') console.log('ship it');
 */
export async function cancelInvoice(
  client: Connection,
  invoiceId: InvoiceId,
): Promise<CancelResult> {
  checkClient(client);
  return countWait(client[internals].clock, cancelInTime(client, invoiceId), 'cancelInvoice()');
}

async function cancelInTime(client: Connection, invoiceId: InvoiceId): Promise<CancelResult> {
  for (let pause = 1_000; ; pause *= 2) {
    const result = await cancelOnce(client, invoiceId);
    const isUnderWay = result.error?.code.startsWith('PROCESSING_');
    if (!isUnderWay || pause > MAX_PAUSE_MS) return result;
    await client[internals].clock.wait(pause);
  }
}

async function cancelOnce(client: Connection, invoiceId: InvoiceId): Promise<CancelResult> {
  try {
    const invoice = await cancel(client, invoiceId);
    return { phase: toPhase(invoice.state) ?? 'unknown', invoice };
  } catch (thrown) {
    if (!isPaystateError(thrown) || thrown.kind === 'input') throw thrown;
    const invoice = await get(client, invoiceId, { reason: 'check if it was paid' }).catch(
      () => undefined,
    );
    const said = toPhase(/^INVALID_STATE_FOR_INVOICE_(.*)$/.exec(thrown.code)?.[1]);
    const read = toPhase(invoice?.state);
    const phase = said === 'paid' ? whenSaidPaid(invoice) : (read ?? said);
    if (!phase) return { phase: 'unknown', invoice, error: thrown };
    return { phase, invoice: read === phase ? invoice : undefined };
  }
}

/**
 * Decides what happened after the service refused because the invoice is paid. A replica may lag
 * behind that refusal, and only a read reveals a payment that went back.
 */
const whenSaidPaid = (invoice: Invoice | undefined): 'paid' | undefined =>
  invoice?.state === 'REVERSED' ? undefined : 'paid';

function toPhase(state: string | undefined): 'cancelled' | 'paid' | undefined {
  if (state === 'CANCELLED') return 'cancelled';
  return state === 'PAID' ? 'paid' : undefined;
}
