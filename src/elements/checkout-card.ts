import type { CheckoutView } from '../flows/index.ts';
import { formatMoney, type Money } from '../money/index.ts';
import type { Snapshot } from '../state/index.ts';
import type { Invoice } from '../resources/invoices.ts';
import { CheckoutCode, type QrPathOf } from './checkout-code.ts';
import { buildParts, type Parts } from './checkout-parts.ts';
import { draw, make, mark, say } from './dom.ts';
import { rateOf } from './rate.ts';
import type { CheckoutTexts } from './texts.ts';

const TURNING = 'M41 24a17 17 0 1 1-17-17';
const ATTENTION = 'M24 11v17M24 36v.5';
const GLYPHS: Readonly<Record<string, string>> = {
  paused: 'M18 14v20M30 14v20',
  paid: 'M12 25l8.5 8.5L37 16',
  cancelled: 'M15 15l18 18M33 15L15 33',
  reversed: 'M20 12l-8 8 8 8M12 20h24v16',
  unsafe: ATTENTION,
  partial: ATTENTION,
  unknown: ATTENTION,
  failed: ATTENTION,
};
const GLYPH_SIZE = 48;
const FULL = { dateStyle: 'medium', timeStyle: 'short' } as const;

/** Texts of the service's mainnet codes begin so; all others are of test money. */
const REAL = /^lnbc(?!rt)/;

/** How a checkout speaks. */
interface CardOptions {
  readonly texts: CheckoutTexts;
  /** In which numbers and times are written. */
  readonly locale: string;
  /** The payer asks for a code. */
  touch(): void;
  /** Reads again after an end by an error; absent where that cannot help. */
  readonly retry?: (() => void) | undefined;
  /** Time of day, milliseconds since 1970. */
  now(): number;
}

/** The card of one checkout: writes views into its parts. */
export class CheckoutCard {
  readonly parts: Parts;
  readonly #code: CheckoutCode;
  readonly #options: CardOptions;
  #view: CheckoutView = { phase: 'loading' };
  /** Codes wait for the encoder, so that none is shown before its picture. */
  #isHolding: boolean = true;
  /** When this page saw that it was paid. */
  #paidAt: number | undefined;

  constructor(options: CardOptions) {
    this.parts = buildParts(options.texts);
    this.#code = new CheckoutCode(options.texts, this.parts);
    this.#options = options;
    this.parts.ribbon.hidden = true;
    this.parts.fresh.onclick = options.touch;
    this.parts.again.onclick = () => options.retry?.();
    this.parts.print.onclick = () => globalThis.print();
    this.show(this.#view);
  }

  /** Shows where the checkout stands. */
  show(view: CheckoutView): void {
    const { parts } = this;
    const { phase, invoice } = view;
    const before = this.#view.phase;
    this.#view = view;
    if (before !== 'loading' && before !== phase) this.#paidAt = this.#options.now();
    if (phase === 'awaiting' && this.#isHolding) return;
    mark(parts.card, { 'data-phase': phase });
    this.#showState(view);
    if (invoice) {
      say(parts.title, invoice.description ?? this.#options.texts.order);
      say(parts.amount, this.#inWords(invoice.amount));
    }
    if (phase === 'awaiting') this.#showCode(view);
    else this.#code.show(undefined, '', false);
    say(parts.note, troubleOf(view, this.#options.texts) ?? this.#code.note);
    parts.fresh.hidden = phase !== 'paused';
    parts.again.hidden = phase !== 'failed' || !this.#options.retry;
    parts.receipt.hidden = parts.print.hidden = phase !== 'paid';
    parts.receipt.replaceChildren();
    if (phase === 'paid') this.#showReceipt(view.invoice);
  }

  get encoder(): QrPathOf | undefined {
    return this.#code.encoder;
  }

  /** Shows codes from now on: with their picture, or without one while there is no encoder. */
  useEncoder(encoder: QrPathOf | undefined = this.encoder): void {
    this.#isHolding = false;
    this.#code.encoder = encoder;
    this.#code.drawPicture();
    this.show(this.#view);
  }

  /** Whole seconds that the code still has. */
  tick(left: number): void {
    const time = `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, '0')}`;
    say(this.parts.timer, this.#options.texts.fixed.replace('{time}', time));
  }

  #inWords(value: Money): string {
    return formatMoney(value, { locale: this.#options.locale, bitcoinUnit: 'sat' });
  }

  #showState(view: CheckoutView): void {
    const { phase } = view;
    const { headline, detail, glyph } = this.parts;
    const stage = phase === 'awaiting' && !this.encoder ? 'noPicture' : stageOf(view);
    const [title, text = ''] = this.#options.texts[stage].split('|') as [string, string?];
    const problem = phase === 'unsafe' ? view.problem : phase === 'failed' && view.error.code;
    say(headline, title);
    say(detail, problem ? `${text} (${problem})` : text);
    draw(glyph, GLYPH_SIZE, GLYPHS[phase] ?? TURNING);
  }

  #showCode({ quote, invoice, renewed }: CheckoutView & { readonly phase: 'awaiting' }): void {
    const cost = this.#inWords(quote.amount);
    const rate = rateOf(quote.amount, invoice.amount);
    this.parts.ribbon.hidden = REAL.test(quote.lnInvoice);
    say(this.parts.rate, rate ? `${cost} · 1 BTC = ${this.#inWords(rate)}` : '');
    this.#code.show(quote, cost, renewed);
  }

  #showReceipt({ amount, correlationId, invoiceId, transactions }: Invoice): void {
    const { texts, locale } = this.#options;
    const line = (name: string, value: string) =>
      this.parts.receipt.append(make('dt', 'name', name), make('dd', 'value', value));
    line(texts.amount, this.#inWords(amount));
    line(texts.reference, correlationId ?? invoiceId);
    const time = transactions?.at(-1)?.completed ?? this.#paidAt;
    if (time) line(texts.time, new Date(time).toLocaleString(locale, FULL));
  }
}

function stageOf(view: CheckoutView): CheckoutView['phase'] | 'unconfirmed' | 'late' | 'over' {
  if (view.phase === 'pending' && view.unconfirmed !== undefined) return 'unconfirmed';
  if (view.phase !== 'paid') return view.phase;
  return view.over ? 'over' : view.late ? 'late' : 'paid';
}

/** What stands in the way of showing what is true now. */
function troubleOf(view: CheckoutView, texts: CheckoutTexts): string | undefined {
  const { freshness, error, pending } = view as Partial<Snapshot<Invoice>>;
  if (pending && !error) return undefined; // it is being read, and nothing is in the way
  const trouble = view.phase === 'loading' && error ? 'stale' : freshness;
  return trouble === 'stale' || trouble === 'offline' || trouble === 'blocked'
    ? texts[trouble]
    : undefined;
}
