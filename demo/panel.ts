import { invalidate, isPaystateError } from 'paystate';
import type { CheckoutView } from 'paystate/flows';
import { byId, say } from './page.ts';
import type { Sale } from './payment.ts';
import type { World } from './world.ts';

const HOLD = 8_000;

/** The panel's view of the page. It sees no more than a customer would. */
export interface Stage {
  sale(): Sale | undefined;
  view(): CheckoutView | undefined;
}

/**
 * Starts the buttons for the customer and the world. Returns a function to call after each change
 * of the view.
 */
export function startPanel({ sandbox, office, setClockWrong }: World, stage: Stage): () => void {
  const note = byId('panel-note', HTMLElement);
  openOnWideScreens();

  const on = buttonsWith(note);
  const pay = (options: { pendingFor?: number; fails?: boolean }) => async (): Promise<void> => {
    const view = stage.view();
    if (view?.phase === 'awaiting') await sandbox.payer.pay(view.quote.lnInvoice, options);
  };

  const payers = [
    on('pay', 'Paid. The page notices by itself.', pay({})),
    on('pay-slowly', 'On its way for eight seconds.', pay({ pendingFor: HOLD })),
    on('pay-failing', 'On its way. It will fail.', pay({ pendingFor: HOLD / 2, fails: true })),
  ];
  const reverse = on('reverse', 'Sent back. A webhook tells the shop.', async () => {
    const sale = stage.sale();
    if (!sale) return;
    await sandbox.payer.reverse(sale.invoiceId);
    invalidate(sale.client, 'invoice', sale.invoiceId);
  });
  const cancel = on('cancel', 'Cancelled. The page notices by itself.', async () => {
    const sale = stage.sale();
    if (sale) await office.invoices.cancel(sale.invoiceId);
  });
  on('plus-10', 'Ten seconds have passed.', () => sandbox.advance(10_000));
  on('plus-60', 'A minute has passed.', () => sandbox.advance(60_000));
  on('lose', 'The response to the next request will be lost.', answerLoser(sandbox));
  bindClock(note, sandbox, setClockWrong);

  return () => {
    const phase = stage.sale() && stage.view()?.phase;
    for (const button of payers) button.disabled = phase !== 'awaiting';
    reverse.disabled = phase !== 'paid';
    cancel.disabled =
      !stage.sale() || phase === 'paid' || phase === 'cancelled' || phase === 'reversed';
  };
}

type On = (id: string, words: string, act: () => Promise<unknown> | void) => HTMLButtonElement;

/** Connects a button with its action, and shows the result in the note. */
const buttonsWith =
  (note: HTMLElement): On =>
  (id, words, act) => {
    const button = byId(id, HTMLButtonElement);
    button.addEventListener('click', async () => {
      say(note, words);
      button.ariaBusy = 'true';
      try {
        await act();
      } catch (thrown) {
        const reason = isPaystateError(thrown) ? `: ${thrown.message}.` : '.';
        say(note, `It did not work${reason}`);
      } finally {
        button.ariaBusy = 'false';
      }
    });
    return button;
  };

/** Sets the page's clock wrong while the box is checked. */
function bindClock(
  note: HTMLElement,
  { clock }: World['sandbox'],
  setClockWrong: World['setClockWrong'],
): void {
  const skew = byId('skew', HTMLInputElement);
  skew.addEventListener('change', () => {
    setClockWrong(skew.checked);
    const time = new Date(clock.now() + (skew.checked ? 3_600_000 : 0)).toISOString().slice(11, 16);
    say(note, `For this page it is now ${time} UTC${skew.checked ? ', an hour too late' : ''}.`);
  });
}

/**
 * Loses the next response. Two clicks lose the next two, because each rule counts from its own
 * start.
 */
function answerLoser({ fault, log }: World['sandbox']): () => void {
  let lastLost = 0;
  return () => {
    lastLost = Math.max(lastLost, log.length) + 1;
    fault({ nth: lastLost - log.length, action: 'lost-after' });
  };
}

/** Opens the panel if there's room beside the shop. */
function openOnWideScreens(): void {
  byId('panel', HTMLDetailsElement).open = matchMedia('(min-width: 74.5rem)').matches;
}
