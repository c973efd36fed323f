import type { Client } from 'paystate';
import { type CheckoutElement, defineElements } from 'paystate/elements';
import type { CheckoutView } from 'paystate/flows';
import type { Order } from './order.ts';
import { byId, say } from './page.ts';

/** One order being paid through one client. */
export interface Sale {
  readonly order: Order;
  readonly client: Client;
  readonly invoiceId: string;
}

/** The part of the page that shows a sale. */
export interface PaymentPart {
  /** Shows a sale, or the same one through another client; nothing closes it. */
  show(sale: Sale | undefined): void;
}

/** Everything about the payment is the element's; this part says what it shows to the rest of the page. */
export function startPayment(changed: (view: CheckoutView) => void): PaymentPart {
  const section = byId('payment', HTMLElement);
  const element = document.querySelector('paystate-checkout') as CheckoutElement;
  element.until = 'never'; // a paid order may be taken back
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

/** Nothing is owed any more. */
export function isOver({ phase }: CheckoutView): boolean {
  return phase === 'paid' || phase === 'cancelled' || phase === 'reversed';
}
