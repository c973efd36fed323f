import type { CheckoutQuote } from '../flows/index.ts';
import type { Parts } from './checkout-parts.ts';
import { copyText, draw, make, mark, say } from './dom.ts';
import type { qrPath } from './qr-path.ts';
import type { CheckoutTexts } from './texts.ts';

interface BrowserWallet {
  enable(): Promise<unknown>;
  sendPayment(lnInvoice: string): Promise<unknown>;
}

function browserWallet(): BrowserWallet | undefined {
  return (globalThis as { readonly webln?: BrowserWallet }).webln;
}

/** The function that draws QR codes, which is loaded after the checkout. */
export type QrPathOf = typeof qrPath;

const FADE = { duration: 150, easing: 'ease-out' };
/** How long the "Copied" message is shown, in milliseconds. */
export const COPIED_MS = 2_000;

/**
 * A checkout's payment code. Its QR code, text and link are always updated together. Copying and
 * paying use the code from this object instead of the text in the document.
 */
export class CheckoutCode {
  /** A message about the code or about copying it. Empty if there isn't one. */
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

  /** Shows a payment code, or removes it. `renewed` means that the code replaces an earlier one. */
  show(quote: CheckoutQuote | undefined, cost: string, renewed: boolean): void {
    if (quote?.lnInvoice === this.#quote?.lnInvoice) return;
    if (quote) {
      this.note = this.#isCopied ? this.#texts.replaced : renewed ? this.#renewal(cost) : '';
      this.#cost = cost;
    }
    this.#quote = quote;
    this.#draw();
  }

  /** Draws the current payment code as a QR code, if the encoder is loaded. */
  drawPicture(): void {
    const { qr, hint } = this.#parts;
    const { awaiting, noPicture, onchainHint } = this.#texts;
    const isDrawn = this.encoder && this.#way;
    const sentence = (isDrawn || !this.#way ? awaiting : noPicture).split('|')[1] ?? '';
    say(hint, isDrawn && this.#way?.name === 'onchain' ? onchainHint : sentence);
    qr.style.visibility = this.encoder ? '' : 'hidden';
    draw(qr, 1, ''); // clear it first, so that an error can't leave an old QR code visible
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

  /** Copies the payment code to the clipboard. If that fails, selects the code instead. */
  async #copy(): Promise<void> {
    const way = this.#way;
    if (!way) return; // the code is being renewed
    const worked = await copyText(way.text);
    if (this.#way !== way) return; // the code was replaced meanwhile
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

/** Returns the beginning and end of a code, so people can compare codes. */
function shorten(code: string): string {
  return code.replace(/^(.{8}).+(.{4})$/, '$1…$2');
}

export interface Way {
  readonly name: 'lightning' | 'onchain';
  readonly text: string;
  readonly link: string;
  readonly qrText: string;
}

/** Matches fractions of a satoshi, which can't be paid on-chain. */
const FINER = /\.\d{9}/;

/**
 * Returns the payment methods that a code supports, which are Lightning and possibly an on-chain
 * address. It's a SegWit address, which is also valid in uppercase.
 */
function listWays({ lnInvoice, link, qrText, onchain, amount }: CheckoutQuote): Way[] {
  const lightning: Way = { name: 'lightning', text: lnInvoice, link, qrText };
  if (!onchain || FINER.test(amount.amount)) return [lightning];
  const query = `?amount=${amount.amount}`;
  const alone = `bitcoin:${onchain}${query}`;
  const scanned = `BITCOIN:${onchain.toUpperCase()}${query}`;
  return [lightning, { name: 'onchain', text: onchain, link: alone, qrText: scanned }];
}
