import { renderUnicodeCompact } from 'uqr';
import type { Client } from '../../client.ts';
import { checkout, type CheckoutView, countdown } from '../../flows/index.ts';
import { ACCOUNT_OPTIONS, accountClient } from '../account.ts';
import { type Command, EXIT, readMoney, textOption, type Terminal } from '../command.ts';

/** Keeps polling for 24 hours, because a terminal can't be hidden like a browser tab. */
const NEVER_PAUSES = 24 * 3_600_000;

/**
 * The `paystate charge` command, which creates an invoice and shows its QR code until it's paid.
 */
export const charge: Command = {
  usage: 'charge AMOUNT CUR [options]',
  about: `create an invoice, show its code and wait until it's paid
Each code is checked before it's shown, and renewed when it expires. If you press Ctrl-C, the
invoice stays open.`,
  words: 2,
  options: {
    ...ACCOUNT_OPTIONS,
    description: { type: 'string', value: 'TEXT', help: 'text for the payer' },
    name: {
      type: 'string',
      value: 'NAME',
      help: 'your own ID for the charge; reusing it shows the same invoice',
    },
  },
  async run(given, [amount = '', currency = ''], terminal) {
    const client = accountClient(given);
    const draft = {
      amount: readMoney(amount, currency, 'pass an amount and a currency, such as 12.50 EUR'),
      description: textOption(given, 'description'),
    };
    const correlationId = textOption(given, 'name');
    const { invoiceId } =
      correlationId === undefined
        ? await client.invoices.create(draft)
        : (await client.invoices.ensure({ ...draft, correlationId })).invoice;
    terminal.print(`invoice ${invoiceId}`);
    const views = checkout(client, {
      invoiceId,
      pauseAfter: NEVER_PAUSES,
      signal: terminal.signal,
    });
    let shown = '';
    let stopCounting = (): void => {};
    try {
      for await (const view of views) {
        const text = view.phase === 'awaiting' ? view.quote.lnInvoice : view.phase;
        if (text !== shown) {
          stopCounting();
          stopCounting = showView(client, invoiceId, view, terminal);
        }
        shown = text;
        const code = EXITS[view.phase];
        if (code !== undefined) return code;
      }
      return EXIT.interrupted;
    } finally {
      stopCounting();
    }
  },
};

const EXITS: Partial<Readonly<Record<CheckoutView['phase'], number>>> = {
  paid: EXIT.ok,
  cancelled: EXIT.failed,
  reversed: EXIT.failed,
  unsafe: EXIT.failed,
  failed: EXIT.failed,
};

/**
 * Prints a checkout state. On a terminal, also shows how many seconds the QR code stays valid.
 * Returns a function that stops the countdown.
 */
function showView(
  client: Client,
  invoiceId: string,
  view: CheckoutView,
  terminal: Terminal,
): () => void {
  const { phase } = view;
  if (view.phase !== 'awaiting') {
    terminal.emit({ invoiceId, phase });
    terminal.print(terminal.style(phase === 'paid' ? 'green' : 'cyan', phase));
    return () => {};
  }
  const { lnInvoice, qrText, amount } = view.quote;
  const left = countdown(client, view.quote);
  const secondsLeft = left.current();
  terminal.emit({ invoiceId, phase, lnInvoice, amount, secondsLeft });
  // a QR code on a screen needs a smaller quiet zone than one on paper
  const code = renderUnicodeCompact(qrText, { border: 2, ecc: 'L' });
  for (const line of code.split('\n')) terminal.print(terminal.style('code', line));
  terminal.print(lnInvoice);
  const asked = view.invoice.amount;
  const prices = asked.currency === amount.currency ? [amount] : [asked, amount];
  const price = prices.map((one) => `${one.amount} ${one.currency}`).join(' = ');
  terminal.print(`${price}, ${secondsLeft} s left`);
  const progress = terminal.progress('seconds left');
  const stop = left.subscribe((seconds) => progress.show(seconds, secondsLeft));
  return () => {
    stop();
    progress.end();
  };
}
