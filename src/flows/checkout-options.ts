import type { InvoiceId } from '../resources/invoices/model.ts';
import type { WatchOptions } from '../state/index.ts';

/** What a checkout sells, and how. */
export interface CheckoutOptions extends WatchOptions {
  /** Of an invoice that exists. */
  readonly invoiceId: InvoiceId;
  /**
   * Shows the on-chain address that a code holds, and the code. Such an address never ends and has no
   * rate. Without it a code that holds an address is `unsafe`.
   */
  readonly includeOnchain?: boolean | undefined;
  /**
   * Codes are renewed for so long after the last `touch`, milliseconds; 600,000. `Infinity`: without
   * end.
   */
  readonly pauseAfter?: number | undefined;
}
