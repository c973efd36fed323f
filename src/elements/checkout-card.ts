import type { CheckoutView } from '../flows/index.ts';
import { formatMoney, type Money } from '../money/index.ts';
import type { Snapshot } from '../state/index.ts';
import type { Invoice } from '../resources/invoices.ts';
import { CheckoutCode, COPIED_MS, type QrPathOf } from './checkout-code.ts';
import { buildParts, type Parts } from './checkout-parts.ts';
import { copyText, draw, figure, make, mark, say } from './dom.ts';
import { plainOf, rateOf, receivedOf } from './figures.ts';
import type { CheckoutTexts, TextStage } from './texts.ts';

const TURNING = 'M41 24a17 17 0 1 1-17-17';
const ATTENTION = 'M24 11v17M24 36v.5';
const GLYPHS: Readonly<Partial<Record<CheckoutView['phase'], string>>> = {
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
const HOUR = { hour: 'numeric', minute: '2-digit' } as const;
const MINUTE_MS = 60_000;

/** Phases that show how to pay, or the room for it. All others show a panel. */
const isPaying = ({ phase }: CheckoutView): boolean => /^(loading|awaiting|renewing)$/.test(phase);
/** Phases in which the shop's help is of no use yet, or no more. */
const isGoingWell = (stage: TextStage): boolean =>
  /^(paused|pending|unconfirmed|paid|late)$/.test(stage);

/** Texts of the service's mainnet codes begin so; all others are of test money. */
const REAL = /^lnbc(?!rt)/;

/** The words of a checkout, and the actions that it asks of its element. */
interface CardOptions {
  readonly texts: CheckoutTexts;
  /** In which numbers and times are written. */
  readonly locale: string;
  /** The shop's number of the order, where the invoice does not have it. */
  readonly orderId?: string | undefined;
  /** Address to which a payer returns who has paid. */
  readonly successUrl?: string | undefined;
  /** The payer asks for a code. */
  touch(): void;
  /** Reads again after an error or an unsafe code; absent where that cannot help. */
  readonly retry?: (() => void) | undefined;
  /** Time of day, milliseconds since 1970. */
  now(): number;
  /** Monotonic time, milliseconds. */
  monotonic(): number;
  wait(ms: number): Promise<void>;
  /** When a service that is busy is asked again, milliseconds since 1970. */
  nextCheck(): number | undefined;
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
  /** Loading takes long enough to say so. */
  #isSlow: boolean = false;
  /** The most seconds that a code had. */
  #longest: number = 0;

  constructor(options: CardOptions) {
    const { texts, successUrl } = options;
    const parts = (this.parts = buildParts(texts));
    this.#code = new CheckoutCode(texts, parts, options.wait);
    this.#options = options;
    parts.ribbon.hidden = true;
    say(parts.title, texts.order);
    if (successUrl) parts.back.href = successUrl;
    parts.fresh.onclick = options.touch;
    parts.again.onclick = () => options.retry?.();
    parts.print.onclick = () => print(parts.card);
    parts.amount.onclick = () => this.#copy(this.#view.invoice?.amount);
    parts.sent.onclick = () =>
      this.#copy(this.#view.phase === 'awaiting' ? this.#view.quote.amount : undefined);
    this.show(this.#view);
  }

  /** Shows the present view of the checkout. */
  show(view: CheckoutView): void {
    const { phase, invoice } = view;
    const before = this.#view.phase;
    this.#view = view;
    if (before !== 'loading' && before !== phase) this.#paidAt = this.#options.now();
    if (phase === 'awaiting' && this.#isHolding) return;
    const { parts } = this;
    mark(parts.card, { 'data-phase': phase });
    if (invoice) {
      say(parts.title, invoice.description ?? this.#options.texts.order);
      this.#showFigure(parts.amount, invoice.amount);
    }
    if (phase === 'awaiting') this.#showCode(view);
    else this.#code.show(undefined, '', false);
    this.#showState(view);
    this.#showTrouble();
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

  /** Says that the checkout is being loaded, from now on. */
  sayLoading(): void {
    this.#isSlow = true;
    this.show(this.#view);
  }

  /** Whole seconds that the code still has. */
  tick(left: number): void {
    const { timer } = this.parts;
    const { fixed, valid } = this.#options.texts;
    const isConverted = this.#view.invoice?.amount.currency !== 'BTC';
    this.#longest = Math.max(this.#longest, left, 1);
    timer.style.setProperty('--left', `${left / this.#longest}`);
    say(timer, (isConverted ? fixed : valid).replace('{time}', minutesOf(left)));
  }

  #inWords(value: Money): string {
    return figure(formatMoney(value, { locale: this.#options.locale, bitcoinUnit: 'sat' }));
  }

  #showFigure(element: HTMLElement, value: Money): void {
    say(element, this.#inWords(value));
    element.style.setProperty('--length', `${element.textContent.length}`);
  }

  async #copy(value: Money | undefined): Promise<void> {
    if (!value || !(await copyText(plainOf(value)))) return;
    say(this.parts.note, this.#options.texts.copied);
    await this.#options.wait(COPIED_MS);
    this.#showTrouble();
  }

  #showState(view: CheckoutView): void {
    const { parts } = this;
    const { texts, retry, successUrl } = this.#options;
    const { phase } = view;
    const stage = stageOf(view);
    const isPanel = !isPaying(view);
    const { activeElement } = parts.pay.getRootNode() as ShadowRoot;
    if (isPanel && parts.pay.contains(activeElement)) parts.title.focus();
    parts.pay.hidden = parts.timer.hidden = isPanel;
    const [title, sentence = ''] = this.#fill(view, texts[stage]).split('|') as [string, string?];
    const problem = phase === 'unsafe' ? view.problem : phase === 'failed' && view.error.code;
    const isTold = problem && stage !== 'notFound';
    say(parts.headline, phase === 'loading' && !this.#isSlow ? '' : title);
    say(parts.detail, isPanel ? (isTold ? `${sentence} ${problem}` : sentence) : '');
    draw(parts.glyph, GLYPH_SIZE, GLYPHS[phase] ?? TURNING);
    parts.more.name =
      stage === 'over' ? 'paid' : stage === 'less' ? 'partial' : phase === 'paid' ? stage : phase;
    parts.most.name = phase === 'paid' ? phase : 'none';
    parts.fresh.hidden = phase !== 'paused';
    parts.again.hidden = (phase !== 'failed' && phase !== 'unsafe') || !retry;
    parts.print.hidden = phase !== 'paid';
    parts.back.hidden = phase !== 'paid' || !successUrl;
    parts.help.hidden = !isPanel || isGoingWell(stage);
    this.#showReceipt(view, isPanel && (phase === 'paid' || !isGoingWell(stage)));
  }

  /** Puts amounts and times into a text. */
  #fill(view: CheckoutView, text: string): string {
    const { invoice } = view;
    const part = invoice && receivedOf(invoice);
    const knownAt = view.phase === 'pending' ? (view.knownAt ?? 0) : 0;
    const left = Math.max(0, Math.ceil((knownAt - this.#options.monotonic()) / 1_000));
    return text
      .replace('{part}', () => (part ? this.#inWords(part) : ''))
      .replace('{amount}', () => (invoice ? this.#inWords(invoice.amount) : ''))
      .replace('{time}', () => minutesOf(left));
  }

  #showCode({ quote, invoice, renewed }: CheckoutView & { readonly phase: 'awaiting' }): void {
    const { sent, price, ribbon } = this.parts;
    const rate = rateOf(quote.amount, invoice.amount);
    ribbon.hidden = REAL.test(quote.lnInvoice);
    if (rate) this.#showFigure(sent, quote.amount);
    else say(sent, ''); // the amount says it already
    say(price, rate ? ` · ${figure('1 BTC')} = ${this.#inWords(rate)}` : '');
    this.#code.show(quote, this.#inWords(quote.amount), renewed);
  }

  /** Says what prevents the page from showing what is true now, or what has happened to the code. */
  #showTrouble(): void {
    const view = this.#view;
    const { texts, locale, nextCheck } = this.#options;
    const trouble = troubleOf(view);
    const until = trouble === 'blocked' ? nextCheck() : undefined;
    const text = trouble && texts[trouble === 'blocked' && !until ? 'stale' : trouble];
    const time = until && new Date(until + MINUTE_MS - 1).toLocaleTimeString(locale, HOUR);
    const said = text?.replace('|', '. ').replace('{time}', figure(time || ''));
    say(this.parts.note, said ?? (isPaying(view) ? this.#code.note : ''));
  }

  #showReceipt({ phase, invoice }: CheckoutView, isShown: boolean): void {
    const { texts, locale, orderId } = this.#options;
    const { receipt } = this.parts;
    receipt.replaceChildren();
    if (!invoice || !isShown) return;
    const { amount, correlationId, invoiceId, transactions } = invoice;
    const line = (name: string, value: string): void => {
      const cell = make('dd', 'value');
      say(cell, value);
      receipt.append(make('dt', 'name', name), cell);
    };
    const isPaid = phase === 'paid';
    if (isPaid) line(texts.amount, this.#inWords(receivedOf(invoice) ?? amount));
    line(texts.reference, correlationId ?? orderId ?? invoiceId);
    const time = transactions?.at(-1)?.completed ?? this.#paidAt;
    if (isPaid && time) line(texts.time, new Date(time).toLocaleString(locale, FULL));
  }
}

const minutesOf = (seconds: number): string =>
  figure(`${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`);

/** Prints the card alone; where that code cannot be loaded, the page with it. */
function print(card: HTMLElement): void {
  import('./print.ts').then(
    ({ printAlone }) => printAlone(card),
    () => globalThis.print(),
  );
}

function stageOf(view: CheckoutView): TextStage {
  if (view.phase === 'pending' && view.unconfirmed !== undefined) return 'unconfirmed';
  if (view.phase === 'partial') return receivedOf(view.invoice) ? 'partial' : 'less';
  if (view.phase === 'failed') return view.error.code === 'NOT_FOUND' ? 'notFound' : 'failed';
  if (view.phase !== 'paid') return view.phase;
  return view.over ? 'over' : view.late ? 'late' : 'paid';
}

/** Names the reason why the page may not show what is true now; there is none after the end. */
function troubleOf(view: CheckoutView): 'stale' | 'offline' | 'blocked' | undefined {
  const { freshness, error, pending } = view as Partial<Snapshot<Invoice>>;
  if (pending && !error) return undefined; // it is being read, and nothing is in the way
  if (/^(paid|cancelled|reversed)$/.test(view.phase)) return undefined;
  const trouble = view.phase === 'loading' && error ? 'stale' : freshness;
  return trouble === 'stale' || trouble === 'offline' || trouble === 'blocked'
    ? trouble
    : undefined;
}
