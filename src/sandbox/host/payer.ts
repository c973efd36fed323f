import {
  payFromOutside,
  type PayOptions,
  type Receipt,
  payerRefusal,
} from '../resources/outside-payments.ts';
import { allInvoices, moveInvoice } from '../resources/invoice-store.ts';
import { drawAddress, createOutsideInvoice, type OutsideDraft } from '../resources/outside.ts';
import type { World } from '../world/world.ts';

export type { PayOptions, Receipt } from '../resources/outside-payments.ts';

/** A wallet outside of the service: pays, and asks for money. */
export interface Payer {
  /**
   * Pays a BOLT11 text, an on-chain address, a `bitcoin:` URI, a quote by its id, or an invoice by
   * its id (its newest quote, or a new one when that has ended). It is PENDING when this returns;
   * resolves when the payment has ended.
   *
   * @throws RefusedError `NOT_FOUND` for an unknown hash or address,
   * `INVALID_STATE_FOR_INVOICE_EXPIRED` when the text has ended, `INVALID_STATE_FOR_INVOICE_PAID`,
   * `_CANCELLED`, `_REVERSED`, `LN_INVOICE_PROCESSED` where a request's text is paid, or
   * `PROCESSING_PAYMENT` while another payment runs
   * @example
   * await sandbox.run(sandbox.payer.pay(quote.lnInvoice, { pendingFor: 2_000 }));
   */
  pay(target: string, options?: PayOptions): Promise<Receipt>;
  /**
   * Takes a payment back: the invoice becomes REVERSED.
   *
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` where the invoice is not paid
   */
  reverse(invoiceId: string): Promise<void>;
  /**
   * Asks for money: a BOLT11 text for your payments.
   *
   * @param draft `sat` (absent: you choose), `description`, `expirySeconds`, `network`; `route:
   * 'none'` cannot be reached, which is seen when quoted, `'lost'` when executed
   * @example
   * const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
   */
  createBolt11(draft?: OutsideDraft): string;
  /**
   * Asks for money on the chain: a fresh address for your payments.
   *
   * @example
   * const btcAddress = sandbox.payer.createAddress();
   */
  createAddress(): string;
}

export function createPayer(world: World): Payer {
  return {
    pay: (target, options = {}) => payFromOutside(world, target, options),
    async reverse(invoiceId) {
      const invoice = allInvoices(world).get(invoiceId);
      if (!invoice) throw payerRefusal('NOT_FOUND', 'no invoice has this id');
      if (invoice.state !== 'PAID')
        throw payerRefusal('UNPROCESSABLE_ENTITY', 'only a paid invoice can be reversed');
      moveInvoice(world, invoice, 'REVERSED');
    },
    createBolt11: (draft = {}) => createOutsideInvoice(world, draft),
    createAddress: () => drawAddress(world, 'outside'),
  };
}
