import { isPaystateError } from 'paystate';
import type { CheckoutView } from 'paystate/flows';
import { showLog } from './log.ts';
import { forgetOrder, keptOrder, type Order, orderFor } from './order.ts';
import { byId, say } from './page.ts';
import { startDevtools } from './devtools.ts';
import { startPanel } from './panel.ts';
import { isOver, type Sale, startPayment } from './payment.ts';
import { startShop, type Wish } from './shop.ts';
import { orderProblem, stayText } from './texts.ts';
import { createWorld } from './world.ts';

const world = createWorld(showLog());
startDevtools(world);
const shop = startShop(({ title, amount }: Wish) => open(orderFor(title, amount)));

let sale: Sale | undefined;
let view: CheckoutView | undefined;

const panelChanged = startPanel(world, { sale: () => sale, view: () => view });
const payment = startPayment((next) => {
  view = next;
  panelChanged();
  if (isOver(next)) forgetOrder();
});

/**
 * Shows a sale, or nothing. It's called again when the panel's clock gives the page another client.
 */
function show(next: Sale | undefined): void {
  sale = next;
  view = undefined;
  payment.show(next);
  panelChanged();
}

world.clients.subscribe((client) => sale && show({ ...sale, client }));

/** Creates the order's invoice, or finds it again. The same order never gets a second one. */
async function open(order: Order): Promise<void> {
  shop.complain('');
  try {
    const { correlationId, title: description, amount } = order;
    const { invoice } = await world
      .client()
      .invoices.ensure(
        { correlationId, description, amount },
        { reason: 'the customer wants to pay' },
      );
    shop.show(false);
    show({ order, client: world.client(), invoiceId: invoice.invoiceId });
  } catch (thrown) {
    // If the invoice certainly wasn't created, we forget the order. Otherwise we ask again under
    // its number.
    if (isPaystateError(thrown) && thrown.outcome === 'not-done') forgetOrder();
    shop.complain(orderProblem(thrown));
  }
}

/** Goes back to the shop, and closes an open order, unless the customer has paid it meanwhile. */
async function leave(): Promise<void> {
  if (sale && view && !isOver(view)) {
    try {
      await sale.client.invoices.cancel(sale.invoiceId, {
        reason: 'the customer chose something else',
      });
    } catch (thrown) {
      return say(byId('leave-note', HTMLElement), stayText(thrown));
    }
  }
  forgetOrder();
  show(undefined);
  say(byId('reloaded', HTMLElement), '');
  say(byId('leave-note', HTMLElement), '');
  shop.show(true);
}

byId('leave', HTMLButtonElement).addEventListener('click', () => void leave());

// The service is in this page, so a reload empties it. We keep the order's number and ask again, as
// a shop with a real service does. There the same invoice would come back.
const kept = keptOrder();
if (kept) {
  const remark = byId('reloaded', HTMLElement);
  remark.hidden = false;
  say(
    remark,
    'This page was reloaded, and the service inside it with it. Your order kept its number and was opened anew; with a real service it would be the same invoice.',
  );
  void open(kept);
}
