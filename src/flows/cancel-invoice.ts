import { isPaystateError, type PaystateError } from '../core/errors/index.ts';
import { checkClient, type Connection, internals } from '../core/http/index.ts';
import { countWait } from '../core/time.ts';
import { cancel, get, type Invoice, type InvoiceId } from '../resources/invoices.ts';

/** The outcome of cancelling an invoice. */
export interface CancelResult {
  /**
   * `cancelled` it cannot be paid any more · `paid` the payer was faster · `unknown` neither is
   * known, or a payment came in and went back; see `invoice` and `error`.
   */
  readonly phase: 'cancelled' | 'paid' | 'unknown';
  /** The invoice as it was last read, where it could be read. */
  readonly invoice?: Invoice | undefined;
  /** Why the outcome is not known, and what to do. */
  readonly error?: PaystateError | undefined;
}

/** Longest pause while a payment is under way. */
const MAX_PAUSE_MS = 16_000;

/**
 * Cancels an invoice, or finds out that it was paid: a payer may be faster, and the service's
 * refusal is then a result and not an error. Waits half a minute at most for a payment that is
 * under way.
 *
 * @throws InputError for an invalid id
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
    const invoice = await get(client, invoiceId, { reason: 'was it paid' }).catch(() => undefined);
    const said = toPhase(/^INVALID_STATE_FOR_INVOICE_(.*)$/.exec(thrown.code)?.[1]);
    const read = toPhase(invoice?.state);
    const phase = said === 'paid' ? whenSaidPaid(invoice) : (read ?? said);
    if (!phase) return { phase: 'unknown', invoice, error: thrown };
    return { phase, invoice: read === phase ? invoice : undefined };
  }
}

/**
 * Decides after the service has said that the invoice is paid. A replica may not show that yet;
 * only a read shows a payment that went back.
 */
const whenSaidPaid = (invoice: Invoice | undefined): 'paid' | undefined =>
  invoice?.state === 'REVERSED' ? undefined : 'paid';

function toPhase(state: string | undefined): 'cancelled' | 'paid' | undefined {
  if (state === 'CANCELLED') return 'cancelled';
  return state === 'PAID' ? 'paid' : undefined;
}
