import type { Client } from 'paystate';
import { type CheckoutElement, defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import type { Order } from './order.ts';
import { byId, say } from './page.ts';

/** An order that is being paid through one client. */
export interface Sale {
  readonly order: Order;
  readonly client: Client;
  readonly invoiceId: string;
}

/** The part of the page that shows a sale. */
export interface PaymentPart {
  /** Shows a sale, or the same one through another client. Without a sale it closes. */
  show(sale: Sale | undefined): void;
}

/** The element does everything about the payment. This part connects it to the page. */
export function startPayment(changed: (view: CheckoutView) => void): PaymentPart {
  const section = byId('payment', HTMLElement);
  const element = document.querySelector('paystate-checkout') as CheckoutElement;
  element.until = 'never'; // a paid order may be reversed
  element.addEventListener('paystate-change', (event) => {
    const view = (event as CustomEvent<CheckoutView>).detail;
    section.dataset['phase'] = view.phase;
    say(
      byId('leave', HTMLButtonElement),
      isOver(view) ? 'Back to the shop' : 'Choose something else',
    );
    changed(view);
  });
  defineElements();
  return {
    show(sale) {
      const isNew = section.hidden;
      section.hidden = sale === undefined;
      section.dataset['phase'] = 'loading';
      element.client = sale?.client;
      element.invoiceId = sale?.invoiceId;
      if (!sale) return;
      say(byId('order-number', HTMLElement), sale.order.correlationId);
      if (isNew) byId('payment-title', HTMLElement).focus();
    },
  };
}

/** Tells if nothing is owed any more. */
export function isOver({ phase }: CheckoutView): boolean {
  return phase === 'paid' || phase === 'cancelled' || phase === 'reversed';
}
