import { isPaystateError, type PaystateError } from '../core/errors/index.ts';
import { checkClient, type Connection, internals } from '../core/http/index.ts';
import { countWait } from '../core/time.ts';
import { cancel, get, type Invoice, type InvoiceId } from '../resources/invoices.ts';

/** The outcome of `cancelInvoice`. */
export interface CancelResult {
  /**
   * `cancelled` means the invoice can no longer be paid. `paid` means the customer paid before it
   * was cancelled. `unknown` means the outcome is unclear, or a payment arrived and was reversed,
   * so check `invoice` and `error`.
   */
  readonly phase: 'cancelled' | 'paid' | 'unknown';
  /** The invoice as of its last read. Absent if it couldn't be read. */
  readonly invoice?: Invoice | undefined;
  /** Why the outcome is unknown. */
  readonly error?: PaystateError | undefined;
}

/** The longest pause between attempts while a payment is in progress. */
const MAX_PAUSE_MS = 16_000;

/**
 * Cancels an invoice, or resolves to `paid` if the customer paid first. In that case, the service's
 * refusal isn't an error. If a payment is in progress, waits up to half a minute for it to finish.
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
 * Returns the phase after the service refused to cancel because the invoice is paid. The replica we
 * read from may still return an older state, so the refusal takes precedence. Only REVERSED
 * overrides it.
 */
const whenSaidPaid = (invoice: Invoice | undefined): 'paid' | undefined =>
  invoice?.state === 'REVERSED' ? undefined : 'paid';

function toPhase(state: string | undefined): 'cancelled' | 'paid' | undefined {
  if (state === 'CANCELLED') return 'cancelled';
  return state === 'PAID' ? 'paid' : undefined;
}
