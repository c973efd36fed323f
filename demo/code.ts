import { qrSvg } from 'paystate/elements';
import type { CheckoutQuote } from 'paystate/flows';
import { formatMoney } from 'paystate/money';
import { startCopy } from './copy.ts';
import { byId, locale, say } from './page.ts';

export interface CodePart {
  open(): void;
  show(code: CheckoutQuote | undefined): void;
  /** What has changed since the code before. */
  renewal(): string;
}

/** Picture, text and link of one code: they change together or not at all. */
export function startCode(heading: HTMLElement): CodePart {
  const copy = startCopy();
  const ways = byId('ways', HTMLElement);
  const qr = byId('qr', HTMLElement);
  let shown: CheckoutQuote | undefined;
  let before = '';
  let now = '';

  return {
    open: copy.forget,
    show(code) {
      if (code?.lnInvoice === shown?.lnInvoice) return;
      shown = code;
      // The only markup in the demo that comes as text; it is the SDK's own and holds nothing from outside.
      qr.innerHTML = code
        ? qrSvg(code.qrText, { label: 'Payment code. Its text can be copied below.' })
        : '';
      qr.style.setProperty(
        '--modules',
        String(qr.querySelector('svg')?.viewBox.baseVal.width ?? 1),
      );
      byId('code', HTMLInputElement).value = code?.lnInvoice ?? '';
      const wallet = byId('wallet', HTMLAnchorElement);
      if (code) wallet.href = code.link;
      else wallet.removeAttribute('href');
      // Focus would fall out of the page together with the button that holds it.
      if (!code && ways.contains(document.activeElement)) heading.focus();
      copy.codeChanged();
      if (!code) return;
      before = now;
      now = formatMoney(code.amount, { locale, bitcoinUnit: 'sat' });
      say(byId('sat', HTMLElement), now);
    },
    renewal: () =>
      before === now
        ? 'Rate renewed; the amount is the same.'
        : `Rate renewed: it is now ${now}, before ${before}.`,
  };
}
