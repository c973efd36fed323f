// The script of a page that shows one state of the pay button and its dialog at a time.
import { createClient } from 'paystate';
import { definePayButton } from 'paystate/elements';
import { createSandbox } from 'paystate/sandbox';
import type { InvoiceId } from 'paystate';
import type { CreateOrder, PayButtonElement } from '../../dist/elements/index.js';

type Phase = 'awaiting' | 'pending' | 'paid' | 'cancelled';

interface Sale {
  readonly sandbox: ReturnType<typeof createSandbox>;
  readonly client: ReturnType<typeof createClient>;
  readonly invoiceId: InvoiceId;
}

/** Creates an order whose time stands still unless it is moved. */
async function openSale(): Promise<Sale> {
  const sandbox = createSandbox({ seed: 'pictures' });
  const client = createClient(sandbox.clientOptions);
  const draft = {
    amount: { amount: '16.80', currency: 'EUR' },
    description: '1 × Harbour Espresso, 500 g',
    correlationId: 'QK-7F3A91C2',
  };
  const { invoiceId } = await sandbox.run(client.invoices.create(draft));
  return { sandbox, client, invoiceId };
}

/** Puts a new button into the page. */
function place(more: Partial<PayButtonElement>): PayButtonElement {
  const button = document.createElement('paystate-pay-button') as PayButtonElement;
  Object.assign(button, { amount: '16.80', currency: 'EUR' }, more);
  document.querySelector('main')!.replaceChildren(button);
  return button;
}

const part = (button: PayButtonElement, name: string): HTMLElement =>
  button.shadowRoot!.querySelector(`[part=${name}]`)!;

/** Waits until something holds, for what no sandbox's clock can move. */
async function until(holds: () => unknown): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Presses a button, and waits for what it says about the order. */
async function press(createOrder: CreateOrder): Promise<void> {
  const button = place({ createOrder });
  await Promise.resolve();
  button.click();
  await until(() => part(button, 'message')?.textContent);
}

/** Opens the dialog of an order, and brings the order to a phase. */
async function sell(phase: Phase): Promise<void> {
  const { sandbox, client, invoiceId } = await openSale();
  const button = place({ client, invoiceId });
  const reach = (wanted: Phase): Promise<void> =>
    sandbox.run(
      new Promise((resolve) => {
        button.addEventListener('paystate-change', ({ detail }) => {
          if (detail.phase === wanted) resolve();
        });
      }),
    );
  await Promise.resolve();
  button.click();
  await reach('awaiting');
  const card = part(button, 'dialog').querySelector('paystate-checkout')!.shadowRoot!;
  await until(() => card.querySelector('[part=qr] path'));
  if (phase === 'pending') void sandbox.payer.pay(invoiceId, { pendingFor: 60_000 });
  if (phase === 'paid') void sandbox.payer.pay(invoiceId);
  if (phase === 'cancelled') void client.invoices.cancel(invoiceId);
  if (phase !== 'awaiting') await reach(phase);
  await until(() => card.querySelector(`[data-phase=${phase}]`));
}

const STATES: Readonly<Record<string, () => unknown>> = {
  idle: () => place({}),
  disabled: () => place({ disabled: true }),
  busy: () => press(() => new Promise(() => {})),
  failed: () => press(() => Promise.reject(new Error('The shop is closed.'))),
  awaiting: () => sell('awaiting'),
  pending: () => sell('pending'),
  paid: () => sell('paid'),
  cancelled: () => sell('cancelled'),
};

definePayButton();
Object.assign(window, { show: (name: string) => STATES[name]!() });
