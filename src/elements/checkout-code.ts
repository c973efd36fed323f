import type { CheckoutQuote } from '../flows/index.ts';
import type { Acts, Parts } from './checkout-parts.ts';
import { draw, make, mark, say } from './dom.ts';
import { qrPath } from './qr-svg.ts';
import type { ElementTexts } from './texts.ts';
import { type Way, waysOf } from './ways.ts';

/** The code of a checkout: picture, text and link change together or not at all. */
export interface CodePart {
  readonly acts: Pick<Acts, 'copy' | 'webln'>;
  /** What happened to the code or to its copy; empty when there is nothing to say. */
  note(): string;
  /** Shows a code, or none. `sat` is what it costs; `renewed`: it replaces another. */
  show(quote: CheckoutQuote | undefined, sat: string, renewed: boolean): void;
}

/** A wallet in the browser: WebLN. */
interface BrowserWallet {
  enable(): Promise<unknown>;
  sendPayment(lnInvoice: string): Promise<unknown>;
}

/** What is copied or paid is what is kept here, not what stands in the document. */
export function startCode(texts: ElementTexts, partsOf: () => Parts): CodePart {
  let note = '';
  let shown: CheckoutQuote | undefined;
  let way: Way | undefined;
  let chosen: Way['name'] | undefined;
  let isCopied = false;
  let cost = '';
  const wallet = () => (globalThis as { readonly webln?: BrowserWallet }).webln;
  const remark = (text: string): void => say(partsOf().note, (note = text));

  const tabOf = ({ name }: Way): HTMLElement => {
    const tab = mark(make('button', 'tab', texts[name]), {
      'aria-pressed': `${name === way?.name}`,
    });
    tab.onclick = () => {
      chosen = name;
      redraw();
      partsOf().tabs.querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
    };
    return tab;
  };

  const redraw = (): void => {
    const parts = partsOf();
    const ways = shown ? waysOf(shown) : [];
    way = ways.find(({ name }) => name === chosen) ?? ways[0];
    parts.code.value = way?.text ?? '';
    parts.wallet.removeAttribute('href');
    draw(parts.qr, 1, '');
    say(parts.copy, texts.copy);
    if (!way) return;
    isCopied = false;
    parts.wallet.href = way.link;
    const { size, path } = qrPath(way.qrText);
    draw(parts.qr, size, path);
    parts.tabs.replaceChildren(...(ways.length > 1 ? ways.map(tabOf) : []));
    parts.webln.hidden = !wallet();
  };

  /** Says "copied" only where the clipboard said so. */
  const copy = async (): Promise<void> => {
    const copied = way;
    if (!copied) return;
    const worked = await navigator.clipboard?.writeText(copied.text).then(
      () => true,
      () => false,
    );
    if (way !== copied) return; // replaced meanwhile
    const parts = partsOf();
    isCopied = !!worked;
    say(parts.copy, worked ? texts.copied : texts.copy);
    remark(worked ? '' : texts.copyFailed);
    if (!worked) parts.code.select();
  };

  const pay = async (): Promise<void> => {
    const paid = shown;
    try {
      await wallet()!.enable();
      if (paid && paid === shown) await wallet()!.sendPayment(paid.lnInvoice);
    } catch {
      remark(texts.weblnFailed);
    }
  };

  return {
    acts: { copy, webln: pay },
    note: () => note,
    show(quote, sat, renewed) {
      if (quote?.lnInvoice === shown?.lnInvoice) return;
      const { pay: part, title } = partsOf();
      if (!quote && part.contains((part.getRootNode() as ShadowRoot).activeElement)) title.focus();
      if (quote) {
        const before = cost === sat ? texts.same : texts.renewed.replace('{before}', cost);
        note = isCopied ? texts.replaced : renewed && cost ? before.replace('{now}', sat) : '';
        cost = sat;
      }
      shown = quote;
      redraw();
    },
  };
}
