import type { CheckoutView } from '../flows/index.ts';
import { formatMoney, type Money } from '../money/index.ts';
import type { Freshness } from '../state/index.ts';
import { startCode } from './checkout-code.ts';
import { buildParts, type Parts } from './checkout-parts.ts';
import { draw, make, mark, say } from './dom.ts';
import { rateOf } from './rate.ts';
import type { ElementTexts } from './texts.ts';

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

/** How a checkout speaks, and whom it tells that somebody is there. */
export interface CardOptions {
  readonly texts: ElementTexts;
  /** In which numbers and times are written. */
  readonly locale: string;
  touch(): void;
  /** Time of day, milliseconds since 1970. */
  now(): number;
}

/** The card of one checkout. */
export interface CheckoutCard {
  readonly parts: Parts;
  /** Shows where the checkout stands. */
  show(view: CheckoutView): void;
  /** Whole seconds that the code still has. */
  tick(left: number): void;
}

/** Builds a card, into whose parts views are written. */
export function startCard({ texts, locale, touch, now }: CardOptions): CheckoutCard {
  const code = startCode(texts, () => parts);
  const parts: Parts = buildParts(texts, { ...code.acts, fresh: touch });
  const inWords = (value: Money): string => formatMoney(value, { locale, bitcoinUnit: 'sat' });
  let before: CheckoutView['phase'] = 'loading';
  let paidAt: number | undefined;
  parts.ribbon.hidden = true;

  const showReceipt = (view: CheckoutView & { readonly phase: 'paid' }): void => {
    const { invoice } = view;
    const completed = invoice.transactions?.at(-1)?.completed ?? paidAt;
    const line = (name: string, value: string) =>
      parts.receipt.append(make('dt', 'name', name), make('dd', 'value', value));
    line(texts.amount, inWords(invoice.amount));
    line(texts.reference, invoice.correlationId ?? invoice.invoiceId);
    if (completed) line(texts.time, new Date(completed).toLocaleString(locale, FULL));
  };

  return {
    parts,
    show(view) {
      const { phase, invoice } = view;
      const quote = phase === 'awaiting' ? view.quote : undefined;
      const [headline, detail = ''] = texts[stageOf(view)].split('|') as [string, string?];
      const problem = phase === 'unsafe' ? view.problem : phase === 'failed' && view.error.code;
      mark(parts.card, { 'data-phase': phase });
      say(parts.headline, headline);
      say(parts.detail, problem ? `${detail} (${problem})` : detail);
      draw(parts.glyph, GLYPH_SIZE, GLYPHS[phase] ?? TURNING);
      if (invoice) {
        say(parts.title, invoice.description ?? texts.order);
        say(parts.amount, inWords(invoice.amount));
      }
      if (invoice && quote) {
        const rate = rateOf(quote.amount, invoice.amount);
        parts.ribbon.hidden = REAL.test(quote.lnInvoice);
        say(parts.rate, rate ? `${inWords(quote.amount)} · 1 BTC = ${inWords(rate)}` : '');
      }
      code.show(quote, quote ? inWords(quote.amount) : '', phase === 'awaiting' && view.renewed);
      say(parts.note, troubleOf(view, texts) ?? code.note());
      parts.fresh.hidden = phase !== 'paused';
      parts.receipt.hidden = parts.print.hidden = phase !== 'paid';
      parts.receipt.replaceChildren();
      if (before !== 'loading' && before !== phase) paidAt = now();
      before = phase;
      if (phase === 'paid') showReceipt(view);
    },
    tick(left) {
      const time = `${Math.floor(left / 60)}:${`${left % 60}`.padStart(2, '0')}`;
      say(parts.timer, texts.fixed.replace('{time}', time));
    },
  };
}

function stageOf(view: CheckoutView): CheckoutView['phase'] | 'unconfirmed' | 'late' | 'over' {
  if (view.phase === 'pending' && view.unconfirmed !== undefined) return 'unconfirmed';
  if (view.phase !== 'paid') return view.phase;
  return view.over ? 'over' : view.late ? 'late' : 'paid';
}

/** What stands in the way of showing what is true now. */
function troubleOf(view: CheckoutView, texts: ElementTexts): string | undefined {
  const { freshness, error } = view as { readonly freshness?: Freshness; readonly error?: unknown };
  const trouble = view.phase === 'loading' && error ? 'stale' : freshness;
  return trouble === 'stale' || trouble === 'offline' || trouble === 'blocked'
    ? texts[trouble]
    : undefined;
}
