import type { CheckoutQuote } from '../flows/index.ts';
import type { Parts } from './checkout-parts.ts';
import { copyText, draw, make, mark, say } from './dom.ts';
import type { qrPath } from './qr-path.ts';
import type { CheckoutTexts } from './texts.ts';

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

const FADE = { duration: 150, easing: 'ease-out' };
/** "Copied" is said for this long, milliseconds. */
export const COPIED_MS = 2_000;

/**
 * The code of a checkout: picture, text and link change together or not at all. Without an encoder
 * there is no picture. What is copied or paid is what is kept here, not what the document holds.
 */
export class CheckoutCode {
  /** A sentence about the code or its copy; empty when there is nothing to say. */
  note: string = '';
  #quote: CheckoutQuote | undefined;
  #way: Way | undefined;
  #chosen: Way['name'] | undefined;
  #isCopied: boolean = false;
  #cost: string = '';
  encoder: QrPathOf | undefined;
  readonly #texts: CheckoutTexts;
  readonly #parts: Parts;
  readonly #wait: (ms: number) => Promise<void>;

  constructor(texts: CheckoutTexts, parts: Parts, wait: (ms: number) => Promise<void>) {
    this.#texts = texts;
    this.#parts = parts;
    this.#wait = wait;
    parts.copy.onclick = parts.qr.onclick = () => this.#copy();
    parts.webln.onclick = () => this.#pay();
    this.#draw();
  }

  /** Shows a code, or none. `cost` is what it asks for; `renewed`: it replaces another. */
  show(quote: CheckoutQuote | undefined, cost: string, renewed: boolean): void {
    if (quote?.lnInvoice === this.#quote?.lnInvoice) return;
    if (quote) {
      this.note = this.#isCopied ? this.#texts.replaced : renewed ? this.#renewal(cost) : '';
      this.#cost = cost;
    }
    this.#quote = quote;
    this.#draw();
  }

  /** Draws the code on show, where there is an encoder, and says what to do with it. */
  drawPicture(): void {
    const { qr, hint } = this.#parts;
    const { awaiting, noPicture, onchainHint } = this.#texts;
    const isDrawn = this.encoder && this.#way;
    const sentence = (isDrawn || !this.#way ? awaiting : noPicture).split('|')[1] ?? '';
    say(hint, isDrawn && this.#way?.name === 'onchain' ? onchainHint : sentence);
    qr.style.visibility = this.encoder ? '' : 'hidden';
    draw(qr, 1, ''); // first, so that no error leaves the picture of another code
    if (!this.#way || !this.encoder) return;
    const { size, path } = this.encoder(this.#way.qrText);
    draw(qr, size, path);
    if (!matchMedia('(prefers-reduced-motion:reduce)').matches)
      qr.animate([{ opacity: 0 }, { opacity: 1 }], FADE);
  }

  #renewal(cost: string): string {
    const { same, renewed } = this.#texts;
    if (this.#cost === cost) return same;
    return this.#cost && renewed.replace('{now}', cost).replace('{before}', this.#cost);
  }

  #draw(): void {
    const { code, short, wallet, copy, way: line, tabs, webln } = this.#parts;
    const ways = this.#quote ? listWays(this.#quote) : [];
    const way = (this.#way = ways.find(({ name }) => name === this.#chosen) ?? ways[0]);
    code.value = way?.text ?? '';
    code.hidden = true;
    say(short, shorten(code.value));
    wallet.removeAttribute('href');
    this.drawPicture();
    say(copy, this.#texts.copy);
    webln.hidden = !browserWallet();
    if (!way) return;
    this.#isCopied = false;
    wallet.href = way.link;
    line.hidden = !!ways[1];
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

  /** Says "copied" only where the clipboard said so; else it selects the code. */
  async #copy(): Promise<void> {
    const way = this.#way;
    if (!way) return; // it is being renewed
    const worked = await copyText(way.text);
    if (this.#way !== way) return; // replaced meanwhile
    const { copy, code } = this.#parts;
    this.#isCopied = worked;
    code.hidden = worked;
    this.#remark(worked ? '' : this.#texts.copyFailed);
    if (!worked) return code.select();
    say(copy, this.#texts.copied);
    await this.#wait(COPIED_MS);
    if (this.#way === way) say(copy, this.#texts.copy);
  }

  async #pay(): Promise<void> {
    const quote = this.#quote;
    if (!quote) return;
    try {
      await browserWallet()!.enable();
      if (quote === this.#quote) await browserWallet()!.sendPayment(quote.lnInvoice);
    } catch {
      this.#remark(this.#texts.weblnFailed);
    }
  }

  #remark(note: string): void {
    this.note = note;
    say(this.#parts.note, note);
  }
}

/** The beginning and the end of a code, by which people compare it. */
function shorten(code: string): string {
  return code.replace(/^(.{8}).+(.{4})$/, '$1…$2');
}

/** One way to pay a quote. */
export interface Way {
  readonly name: 'lightning' | 'onchain';
  /** The text that is copied. */
  readonly text: string;
  readonly link: string;
  readonly qrText: string;
}

/** Parts of a satoshi, which the chain does not know. */
const FINER = /\.\d{9}/;

/**
 * All ways to pay a quote: Lightning, and after it the address, if the code holds one. That is a
 * segwit address, which means the same in upper case.
 */
function listWays({ lnInvoice, link, qrText, onchain, amount }: CheckoutQuote): Way[] {
  const lightning: Way = { name: 'lightning', text: lnInvoice, link, qrText };
  if (!onchain || FINER.test(amount.amount)) return [lightning];
  const query = `?amount=${amount.amount}`;
  const alone = `bitcoin:${onchain}${query}`;
  const scanned = `BITCOIN:${onchain.toUpperCase()}${query}`;
  return [lightning, { name: 'onchain', text: onchain, link: alone, qrText: scanned }];
}
