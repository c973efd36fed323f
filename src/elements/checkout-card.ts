import type { CheckoutView } from '../flows/index.ts';
import { decimalText, parseDecimal } from '../money/decimal.ts';
import { addMoney, formatMoney, type Money } from '../money/index.ts';
import type { Snapshot } from '../state/index.ts';
import type { Invoice } from '../resources/invoices.ts';
import { CheckoutCode, COPIED_MS, type QrPathOf } from './checkout-code.ts';
import { buildParts, type Parts } from './checkout-parts.ts';
import { copyText, draw, figure, make, say } from './dom.ts';
import type { CheckoutTexts, TextStage } from './texts.ts';

const ATTENTION = 'M24 11v17M24 36v.5';
const GLYPHS: Readonly<Partial<Record<CheckoutView['phase'], string>>> = {
  pending: 'M41 24a17 17 0 1 1-17-17',
  paused: 'M18 14v20M30 14v20',
  paid: 'M12 25l8.5 8.5L37 16',
  cancelled: 'M15 15l18 18M33 15L15 33',
  reversed: 'M20 12l-8 8 8 8M12 20h24v16',
};
const GLYPH_SIZE = 48;
const FULL = { dateStyle: 'medium', timeStyle: 'short' } as const;
const HOUR = { timeStyle: 'short' } as const;
/** Checks whether a phase is final. In final phases, the dialog has a "Close" button. */
export const isOver = (phase: CheckoutView['phase']): boolean =>
  /^(paid|cancelled|reversed)$/.test(phase);

const MINUTE_MS = 60_000;
/** Matches all but the last eight characters of an order number that is too long to display. */
const TOO_LONG = /^.{17,}(?=.{8}$)/;

/** Checks whether the card shows a payment code in this phase, or reserves space for one. */
export const isPaying = (phase: CheckoutView['phase']): boolean =>
  /^(loading|awaiting|renewing)$/.test(phase);
/** Checks whether this is a stage at which the customer doesn't need the shop's help. */
const isGoingWell = (stage: TextStage): boolean =>
  /^(paused|pending|unconfirmed|paid|late)$/.test(stage);

/** Matches payment codes for Bitcoin mainnet. All other codes are for test money. */
const REAL = /^lnbc(?!rt)/;

/** A checkout card's texts, and the actions that its element provides. */
interface CardOptions {
  readonly texts: CheckoutTexts;
  /** Locale for numbers and times. */
  readonly locale: string;
  /** The shop's order number, for invoices without a correlationId. */
  readonly orderId?: string | undefined;
  /** URL for returning to the shop after payment. */
  readonly successUrl?: string | undefined;
  touch(): void;
  /** Tries again after an error or an unsafe code. Absent if a retry isn't possible. */
  readonly retry?: (() => void) | undefined;
  /** Returns the wall-clock time in milliseconds since 1970. */
  now(): number;
  /** Returns the time on the monotonic clock in milliseconds. */
  monotonic(): number;
  wait(ms: number): Promise<void>;
  /** Returns the time of the next request if the service is busy, in milliseconds since 1970. */
  nextCheck(): number | undefined;
}

export class CheckoutCard {
  readonly parts: Parts;
  readonly #code: CheckoutCode;
  readonly #options: CardOptions;
  #view: CheckoutView = { phase: 'loading' };
  /**
   * Whether to hold back codes until the QR encoder is loaded, so that no code is shown without its
   * QR code.
   */
  #isHolding: boolean = true;
  /** When the payment was first shown on this page. */
  #paidAt: number | undefined;
  /** Whether loading has taken so long that the card shows a message. */
  #isSlow: boolean = false;
  /** Longest time remaining on a code so far, in seconds. */
  #longest: number = 0;

  constructor(options: CardOptions) {
    const { texts, successUrl } = options;
    this.parts = buildParts(texts);
    const { parts } = this;
    this.#code = new CheckoutCode(texts, parts, options.wait);
    this.#options = options;
    parts.ribbon.hidden = true;
    say(parts.title, texts.order);
    if (successUrl) parts.back.href = successUrl;
    parts.fresh.onclick = options.touch;
    parts.again.onclick = () => options.retry?.();
    parts.print.onclick = () => print(parts.card);
    this.show(this.#view);
  }

  show(view: CheckoutView): void {
    const { phase, invoice } = view;
    const before = this.#view.phase;
    this.#view = view;
    if (before !== 'loading' && before !== phase) this.#paidAt = this.#options.now();
    if (phase === 'awaiting' && this.#isHolding) return;
    const { parts } = this;
    parts.card.dataset['phase'] = phase;
    if (invoice) {
      say(parts.title, invoice.description ?? this.#options.texts.order);
      this.#showFigure(parts.amount, invoice.amount);
    }
    if (phase === 'awaiting') this.#showCode(view);
    else this.#code.show(undefined, '', false);
    this.#showState(view);
  }

  get encoder(): QrPathOf | undefined {
    return this.#code.encoder;
  }

  /** Starts showing codes, with their QR codes if there's an encoder. */
  useEncoder(encoder: QrPathOf | undefined = this.encoder): void {
    this.#isHolding = false;
    this.#code.encoder = encoder;
    this.#code.drawPicture();
    this.show(this.#view);
  }

  /** Starts showing a message saying that the checkout is loading. */
  sayLoading(): void {
    this.#isSlow = true;
    this.show(this.#view);
  }

  /** Shows the time remaining on the code, in seconds. */
  tick(left: number): void {
    const { timer } = this.parts;
    const { fixed, valid } = this.#options.texts;
    const isConverted = this.#view.invoice?.amount.currency !== 'BTC';
    this.#longest = Math.max(this.#longest, left, 1);
    timer.style.setProperty('--left', `${left / this.#longest}`);
    say(timer, (isConverted ? fixed : valid).replace('{time}', formatMinutes(left)));
  }

  #inWords(value: Money): string {
    return figure(formatMoney(value, { locale: this.#options.locale, bitcoinUnit: 'sat' }));
  }

  #showFigure(element: HTMLElement, value: Money): void {
    say(element, this.#inWords(value));
    element.style.setProperty('--length', `${element.textContent.length}`);
    element.onclick = () => this.#copy(formatPlain(value));
  }

  async #copy(text: string): Promise<void> {
    if (!(await copyText(text))) return;
    say(this.parts.note, this.#options.texts.copied);
    await this.#options.wait(COPIED_MS);
    this.#showNote();
  }

  #showState(view: CheckoutView): void {
    const { parts } = this;
    const { texts, retry, successUrl } = this.#options;
    const { phase } = view;
    const stage = chooseTextStage(view);
    const isPanel = !isPaying(phase);
    const { activeElement } = parts.card.getRootNode() as ShadowRoot;
    parts.how.hidden = parts.pay.hidden = parts.timer.hidden = isPanel;
    parts.rate.hidden = isPanel || !parts.price.textContent;
    const trouble = this.#trouble();
    parts.card.toggleAttribute('data-trouble', !!trouble && !isPanel);
    const text = this.#fill(view, texts[stage]);
    // A panel has its own title, so the problem is appended to its sentence.
    const told = isPanel ? `${text} ${trouble.replace('|', '. ')}` : trouble || text.split('|')[0]!;
    const [title, sentence = ''] = told.split('|') as [string, string?];
    say(parts.headline, phase === 'loading' && !trouble && !this.#isSlow ? '' : title);
    say(parts.detail, sentence.trim());
    const problem = phase === 'unsafe' ? view.problem : phase === 'failed' && view.error.code;
    parts.details.hidden = !problem || stage === 'notFound';
    say(parts.problem, `${texts.copy}: ${problem}`);
    parts.problem.onclick = () => this.#copy(`${problem} ${this.#number()}`);
    draw(parts.glyph, GLYPH_SIZE, GLYPHS[phase] ?? ATTENTION);
    parts.more.name = stage === 'late' ? stage : phase;
    const isPaid = phase === 'paid';
    const needsHelp = isPanel && !isGoingWell(stage);
    parts.most.name = isPaid ? phase : 'none';
    parts.fresh.hidden = phase !== 'paused';
    parts.again.hidden = !problem || !retry;
    parts.print.hidden = !isPaid;
    parts.back.hidden = !isPaid || !successUrl;
    parts.help.hidden = !needsHelp;
    if (activeElement?.closest('[hidden]')) parts.title.focus();
    this.#showReceipt(view, isPaid || needsHelp);
    this.#showNote();
  }

  /** Replaces a text's placeholders for amounts and times. */
  #fill(view: CheckoutView, text: string): string {
    const { invoice } = view;
    const part = invoice && sumReceived(invoice);
    const { knownAt = 0 } = view as { readonly knownAt?: number };
    const left = Math.max(0, Math.ceil((knownAt - this.#options.monotonic()) / 1_000));
    return text
      .replace('{part}', () => (part ? this.#inWords(part) : ''))
      .replace('{amount}', () => (invoice ? this.#inWords(invoice.amount) : ''))
      .replace('{time}', () => formatMinutes(left));
  }

  #showCode({ quote, invoice, renewed }: CheckoutView & { readonly phase: 'awaiting' }): void {
    const { sent, price, ribbon } = this.parts;
    const rate = computeRate(quote.amount, invoice.amount);
    ribbon.hidden = REAL.test(quote.lnInvoice);
    if (rate) this.#showFigure(sent, quote.amount);
    else say(sent, ''); // the summary already shows the same amount
    say(price, rate ? ` · ${figure('1 BTC')} = ${this.#inWords(rate)}` : '');
    this.#code.show(quote, this.#inWords(quote.amount), renewed);
  }

  /** Shows the note about the code, unless there's a problem. */
  #showNote(): void {
    const { note, pay } = this.parts;
    say(note, pay.hidden || this.#trouble() ? '' : this.#code.note);
  }

  /** Returns the text for a connection problem, or an empty string if there isn't one. */
  #trouble(): string {
    const { texts, locale, nextCheck } = this.#options;
    const { phase } = this.#view;
    const { freshness, error, pending } = this.#view as Partial<Snapshot<Invoice>>;
    const isReading = pending && !error;
    const name = phase === 'loading' && error ? 'stale' : freshness;
    if (isReading || isOver(phase) || !/^(stale|offline|blocked)$/.test(name!)) return '';
    const until = name === 'blocked' && nextCheck();
    if (!until) return texts[name === 'offline' ? name : 'stale'];
    const time = new Date(until + MINUTE_MS - 1).toLocaleTimeString(locale, HOUR);
    return texts.blocked.replace('{time}', figure(time));
  }

  /**
   * Returns the order number to display: the invoice's correlationId, the shop's order
   * number or the invoice id.
   */
  #number(): string {
    const { correlationId, invoiceId } = this.#view.invoice ?? {};
    return correlationId ?? this.#options.orderId ?? invoiceId ?? '';
  }

  #showReceipt({ phase, invoice }: CheckoutView, isShown: boolean): void {
    const { texts, locale } = this.#options;
    const { receipt } = this.parts;
    receipt.replaceChildren();
    if (!invoice || !isShown) return;
    const { amount, transactions } = invoice;
    const line = (name: string, value: string): HTMLElement => {
      const cell = make('dd', 'value');
      say(cell, value);
      receipt.append(make('dt', 'name', name), cell);
      return cell;
    };
    const isPaid = phase === 'paid';
    if (isPaid) line(texts.amount, this.#inWords(sumReceived(invoice) ?? amount));
    const number = this.#number();
    const button = make('button', 'number', number.replace(TOO_LONG, ''));
    button.title = texts.copy;
    button.onclick = () => this.#copy(number);
    line(texts.reference, '').append(button);
    const time = transactions?.at(-1)?.completed ?? this.#paidAt;
    if (isPaid && time) line(texts.time, new Date(time).toLocaleString(locale, FULL));
  }
}

const formatMinutes = (seconds: number): string =>
  figure(`${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`);

/** Prints only the card, or the whole page if the printing code can't be loaded. */
function print(card: HTMLElement): void {
  import('./print.ts').then(
    ({ printAlone }) => printAlone(card),
    () => globalThis.print(),
  );
}

function chooseTextStage(view: CheckoutView): TextStage {
  if (view.phase === 'pending' && view.unconfirmed !== undefined) return 'unconfirmed';
  if (view.phase === 'partial') return sumReceived(view.invoice) ? 'partial' : 'less';
  if (view.phase === 'failed') return view.error.code === 'NOT_FOUND' ? 'notFound' : 'failed';
  if (view.phase !== 'paid') return view.phase;
  return view.over ? 'over' : view.late ? 'late' : 'paid';
}

/** Number of fractional digits that one satoshi has in BTC. */
const SATOSHI_DIGITS = 8;

/**
 * Computes the price of one bitcoin from the amounts sent and credited. The price is truncated to
 * two decimal places, so only use it for display.
 */
function computeRate(sent: Money, credited: Money): Money | undefined {
  if (sent.currency !== 'BTC' || credited.currency === 'BTC') return undefined;
  const [from, to] = [parseDecimal(sent.amount), parseDecimal(credited.amount)];
  if (!from.digits) return undefined;
  const up = 10n ** BigInt(from.scale + 2);
  const digits = (to.digits * up) / (from.digits * 10n ** BigInt(to.scale));
  return { amount: decimalText({ digits, scale: 2 }), currency: credited.currency };
}

/** Formats an amount for copying, as a plain number in the displayed unit. */
function formatPlain({ amount, currency }: Money): string {
  if (currency !== 'BTC') return amount;
  const { digits, scale } = parseDecimal(amount);
  const finer = scale - SATOSHI_DIGITS;
  return finer > 0 ? decimalText({ digits, scale: finer }) : `${digits * 10n ** BigInt(-finer)}`;
}

/**
 * Returns the sum of an invoice's completed payments. Returns `undefined` if they weren't read or
 * are in a different currency.
 */
function sumReceived({ amount, transactions = [] }: Invoice): Money | undefined {
  const received = transactions.flatMap(({ state, amountReceived }) =>
    state === 'COMPLETED' ? amountReceived : [],
  );
  if (received.some(({ currency }) => currency !== amount.currency)) return undefined;
  return received.length > 0 ? received.reduce(addMoney) : undefined;
}

/**
 * The checkout's style sheet. The number of columns depends on the element's width. The wallet
 * button comes first on touch screens, and the QR code everywhere else. The status dot and the
 * timer ring follow the page's text direction, because a single sentence may have a different one.
 */
export const CHECKOUT_LOOK: string = `:host{width:100%;container-type:inline-size}:host([theme=light]){color-scheme:light}:host([theme=dark]){color-scheme:dark}
[part=card]{display:grid;gap:24px;max-width:560px}[data-trouble],[data-phase^=p]{--tone:var(--wait)}[data-phase=paid]{--tone:var(--good)}[data-phase=failed],[data-phase=unsafe]{--tone:var(--bad)}[data-phase=cancelled],[data-phase=unknown]{--tone:var(--quiet)}[data-phase=reversed]{--tone:var(--back)}
[part=bill],[part=how],[part=pay],[part=end]{display:flex;flex-direction:column;gap:12px;min-width:0}[part=bill]{container-type:inline-size;align-items:start;gap:4px}
[part=ribbon]{padding:0 8px;border-radius:var(--round);background:color-mix(in srgb,var(--wait) 12%,var(--card));font-size:.8125rem}[part=amount],[part=sent],[part=number]{display:inline;min-height:24px;padding:0;border:0;font-weight:400;text-align:start}[part=amount]{font-size:clamp(1rem,calc(150cqi/var(--length,1)),2.25rem);font-weight:650}
[part=timer],[part=headline]{position:relative}[part=timer]{min-height:1.45em;padding-inline-start:22px}:is([part=timer],[part=headline]):not(:empty)::before{content:"";position:absolute;inset-inline-start:0;border-radius:50%}[part=timer]::before{top:calc(.725em - 7px);width:14px;height:14px;background:conic-gradient(var(--accent) calc(var(--left,1)*1turn),var(--line) 0);mask:radial-gradient(closest-side,#0000 65%,#000 70%)}
[part=way]{display:flex;gap:8px;align-items:center;font-weight:500}[part=mark]{width:20px;flex:none;fill:none;stroke:currentColor;stroke-width:1.5;stroke-linejoin:round}[part=tabs]{display:grid;grid-auto-flow:column;border-bottom:1px solid var(--line)}[part=tab]{padding:8px 4px;border:0;border-bottom:2px solid transparent;border-radius:var(--round) var(--round) 0 0}[aria-pressed=true]{border-color:var(--ink);background:color-mix(in srgb,var(--accent) 12%,var(--card))}
[part=qr]{width:min(100%,var(--paystate-qr,300px),70vh);aspect-ratio:1;margin:0 auto;border:1px solid var(--line);border-radius:12px;background:#fff;shape-rendering:crispEdges;cursor:copy}[part=line]{display:flex;align-items:center;padding-inline-start:8px;border:1px solid var(--line);border-radius:var(--round)}[part=short],[part=code]{font:.8125rem monospace}[part=short]{flex:1;min-height:1.45em;white-space:nowrap}[part=copy]{flex:0 1 36%;padding:8px;border:0;border-inline-start:1px solid var(--line);border-radius:0}[part=code]{width:100%;min-height:44px;padding:0 12px;border:1px solid var(--quiet);border-radius:var(--round);background:none;color:inherit}
summary{padding:8px 0}[part=glyph],:is([part=amount],[part=tabs],[part=detail],[part=receipt],[part=headline]):empty{display:none}[part=headline]{padding-inline-start:16px}[part=headline]::before{top:calc(.725em - 4px);width:8px;height:8px;background:var(--tone)}[part=note]{min-height:1.45em}[part=actions]{display:flex;flex-wrap:wrap;gap:8px}[part=actions]>*{flex:auto}[part=back],[part=fresh]{border-color:var(--accent);background:var(--accent);color:var(--paystate-on-accent,var(--card))}
[part=pay][hidden]~[part=end]{padding-top:16px;border-top:1px solid var(--line)}[part=pay][hidden]~* [part=glyph]{display:block;width:48px;padding:8px;border-radius:50%;background:color-mix(in srgb,var(--tone) 12%,var(--card));fill:none;stroke:var(--tone);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}[part=pay][hidden]~* [part=headline]{padding:0;font-size:1.25rem}[part=pay][hidden]~* [part=headline]::before,[part=pay][hidden]~* [part=note]:empty{display:none}[part=receipt]{display:grid;grid-template-columns:fit-content(45%) minmax(0,1fr);gap:4px 12px;align-items:baseline;font-size:.875rem}dd{text-align:end}:is([part=title],[part=timer],[part=hint],[part=headline],[part=detail],[part=note]){unicode-bidi:plaintext;text-wrap:balance}[part=card]:dir(rtl){text-align:right}
[data-phase=loading] :is([part=amount],[part=qr],[part=headline]:empty){display:block;min-width:60%;min-height:1.2em;border:0;border-radius:12px;background:var(--line);visibility:visible!important}[data-phase=loading] :is([part=how],[part=pay]),[data-phase=renewing] [part=timer]{visibility:hidden}[data-phase=renewing] [part=pay]{opacity:.5}[data-phase=renewing] [part=qr]{background:var(--line)}
@media (pointer:coarse){[part=qr]{order:2}[part=wallet]{order:-1;border-color:var(--accent);background:var(--accent);color:var(--paystate-on-accent,var(--card))}}
@container (min-width:760px){[part=card]:has([part=pay]:not([hidden])){grid-template:auto auto 1fr/1fr 300px;column-gap:40px;max-width:760px}[part=pay]{grid-area:1/2/4}[part=end]{align-self:end}}
@media (prefers-reduced-motion:no-preference){[data-phase=pending] [part=glyph] path{transform-origin:center;animation:turn 1.6s linear infinite}}@keyframes turn{to{rotate:1turn}}@media print{[part=actions]{display:none!important}}`;
