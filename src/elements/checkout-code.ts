import type { CheckoutQuote } from '../flows/index.ts';
import type { Parts } from './checkout-parts.ts';
import { draw, make, mark, say } from './dom.ts';
import type { qrPath } from './qr-path.ts';
import type { CheckoutTexts } from './texts.ts';
import { type Way, waysOf } from './ways.ts';

/** A wallet in the browser: WebLN. */
interface BrowserWallet {
  enable(): Promise<unknown>;
  sendPayment(lnInvoice: string): Promise<unknown>;
}

function browserWallet(): BrowserWallet | undefined {
  return (globalThis as { readonly webln?: BrowserWallet }).webln;
}

/** Draws QR codes; loaded later than the checkout. */
export type QrPathOf = typeof qrPath;

/**
 * The code of a checkout: picture, text and link change together or not at all. Without an encoder
 * there is no picture. What is copied or paid is what is kept here, not what stands in the
 * document.
 */
export class CheckoutCode {
  /** What happened to the code or to its copy; empty when there is nothing to say. */
  note: string = '';
  #quote: CheckoutQuote | undefined;
  #way: Way | undefined;
  #chosen: Way['name'] | undefined;
  #isCopied: boolean = false;
  #cost: string = '';
  encoder: QrPathOf | undefined;
  readonly #texts: CheckoutTexts;
  readonly #parts: Parts;

  constructor(texts: CheckoutTexts, parts: Parts) {
    this.#texts = texts;
    this.#parts = parts;
    parts.copy.onclick = () => this.#copy();
    parts.webln.onclick = () => this.#pay();
    this.#draw();
  }

  /** Shows a code, or none. `cost` is what it asks for; `renewed`: it replaces another. */
  show(quote: CheckoutQuote | undefined, cost: string, renewed: boolean): void {
    if (quote?.lnInvoice === this.#quote?.lnInvoice) return;
    const { pay, title } = this.#parts;
    if (!quote && pay.contains((pay.getRootNode() as ShadowRoot).activeElement)) title.focus();
    if (quote) {
      this.note = this.#isCopied ? this.#texts.replaced : renewed ? this.#renewal(cost) : '';
      this.#cost = cost;
    }
    this.#quote = quote;
    this.#draw();
  }

  /** Draws the code on show, where there is an encoder. */
  drawPicture(): void {
    const { qr } = this.#parts;
    qr.style.visibility = this.encoder ? '' : 'hidden';
    draw(qr, 1, ''); // first, so that no error leaves the picture of another code
    if (!this.#way || !this.encoder) return;
    const { size, path } = this.encoder(this.#way.qrText);
    draw(qr, size, path);
  }

  #renewal(cost: string): string {
    const { same, renewed } = this.#texts;
    if (this.#cost === cost) return same;
    return this.#cost && renewed.replace('{now}', cost).replace('{before}', this.#cost);
  }

  #draw(): void {
    const { code, wallet, copy, tabs, webln } = this.#parts;
    const ways = this.#quote ? waysOf(this.#quote) : [];
    const way = (this.#way = ways.find(({ name }) => name === this.#chosen) ?? ways[0]);
    code.value = way?.text ?? '';
    wallet.removeAttribute('href');
    this.drawPicture();
    say(copy, this.#texts.copy);
    webln.hidden = !browserWallet();
    if (!way) return;
    this.#isCopied = false;
    wallet.href = way.link;
    tabs.replaceChildren(...(ways[1] ? ways.map((one) => this.#tab(one.name)) : []));
  }

  #tab(name: Way['name']): HTMLElement {
    const tab = make('button', 'tab', this.#texts[name]);
    tab.onclick = () => {
      this.#chosen = name;
      this.#draw();
      this.#parts.tabs.querySelector<HTMLElement>('[aria-pressed=true]')?.focus();
    };
    return mark(tab, { 'aria-pressed': `${name === this.#way?.name}` });
  }

  /** Says "copied" only where the clipboard said so. */
  async #copy(): Promise<void> {
    const way = this.#way!;
    const worked = await navigator.clipboard?.writeText(way.text).then(
      () => true,
      () => false,
    );
    if (this.#way !== way) return; // replaced meanwhile
    const { copy, code } = this.#parts;
    this.#isCopied = !!worked;
    say(copy, worked ? this.#texts.copied : this.#texts.copy);
    this.#remark(worked ? '' : this.#texts.copyFailed);
    if (!worked) code.select();
  }

  async #pay(): Promise<void> {
    const quote = this.#quote!;
    try {
      await browserWallet()!.enable();
      if (quote === this.#quote) await browserWallet()!.sendPayment(quote.lnInvoice);
    } catch {
      this.#remark(this.#texts.weblnFailed);
    }
  }

  #remark(note: string): void {
    say(this.#parts.note, (this.note = note));
  }
}
