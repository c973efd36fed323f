import type { Client } from 'paystate';
import { checkout, type CheckoutView, countdown } from 'paystate/flows';
import { formatMoney } from 'paystate/money';
import { toObservable } from 'paystate/rx';
import {
  catchError,
  distinctUntilChanged,
  EMPTY,
  fromEvent,
  ignoreElements,
  map,
  merge,
  type Observable,
  of,
  startWith,
  switchMap,
  tap,
} from 'rxjs';
import { startCode } from './code.ts';
import type { Order } from './order.ts';
import { byId, locale, say } from './page.ts';
import { brokenText, phaseText, type PhaseText, troubleText } from './texts.ts';

/** One order being paid through one client. */
export interface Sale {
  readonly order: Order;
  readonly client: Client;
  readonly invoiceId: string;
}

const LOADING: CheckoutView = { phase: 'loading' };

/**
 * What is true of the sale: it starts again from nothing whenever client or order change.
 * A watch that ends with an error is told to `broke`; the next sale is watched all the same.
 */
export function viewsOf(
  sales: Observable<Sale | undefined>,
  broke: (thrown: unknown) => void,
): Observable<CheckoutView> {
  const viewsOfOne = ({ client, invoiceId }: Sale): Observable<CheckoutView> => {
    const sale = checkout(client, { invoiceId, until: 'never' });
    const touches = merge(fromEvent(document, 'pointerdown'), fromEvent(document, 'keydown'));
    const views = toObservable(sale).pipe(
      startWith(LOADING),
      catchError((thrown: unknown) => {
        broke(thrown);
        return EMPTY;
      }),
    );
    return merge(views, touches.pipe(tap(sale.touch), ignoreElements()));
  };
  return sales.pipe(switchMap((sale) => (sale ? viewsOfOne(sale) : of(LOADING))));
}

/** Whole seconds that the shown code still has; empty while none is shown. */
export function secondsOf(
  views: Observable<CheckoutView>,
  client: () => Client,
): Observable<{ readonly end: number; readonly left: number }> {
  return views.pipe(
    map((view) => (view.phase === 'awaiting' ? view.quote.expiresAt : undefined)),
    distinctUntilChanged(),
    switchMap((end) =>
      end === undefined
        ? EMPTY
        : toObservable(countdown(client(), { expiresAt: end })).pipe(
            map((left) => ({ end, left })),
          ),
    ),
  );
}

/** The part of the page that shows a sale. */
export interface PaymentPart {
  open(order: Order): void;
  close(): void;
  show(view: CheckoutView): void;
  tick(time: { readonly end: number; readonly left: number }): void;
  /** The watch has ended with an error. */
  breakOff(thrown: unknown): void;
}

export function startPayment(): PaymentPart {
  const section = byId('payment', HTMLElement);
  const heading = byId('payment-title', HTMLElement);
  const code = startCode(heading);
  const bar = byId('bar', HTMLProgressElement);
  let barEnd = 0;

  const showState = ({ title, text, glyph }: PhaseText): void => {
    say(byId('state-title', HTMLElement), title);
    say(byId('state-text', HTMLElement), text);
    byId('glyph', SVGUseElement).setAttribute('href', `#glyph-${glyph}`);
  };

  return {
    open(order) {
      section.hidden = false;
      code.open();
      say(heading, order.title);
      say(byId('order-number', HTMLElement), order.correlationId);
      say(byId('fiat', HTMLElement), formatMoney(order.amount, { locale }));
      say(byId('sat', HTMLElement), '');
      heading.focus();
    },
    close: () => void (section.hidden = true),
    show(view) {
      section.dataset['phase'] = view.phase;
      code.show(view.phase === 'awaiting' ? view.quote : undefined);
      say(
        byId('renewal', HTMLElement),
        view.phase === 'awaiting' && view.renewed ? code.renewal() : '',
      );
      say(byId('trouble', HTMLElement), troubleText(view));
      showState(phaseText(view));
      say(
        byId('leave', HTMLButtonElement),
        isOver(view) ? 'Back to the shop' : 'Choose something else',
      );
    },
    tick({ end, left }) {
      if (end !== barEnd) bar.max = left + 1;
      barEnd = end;
      bar.value = left;
      byId('clock', HTMLElement).textContent =
        `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    },
    breakOff(thrown) {
      section.dataset['phase'] = 'broken';
      code.show(undefined);
      showState(brokenText(thrown));
    },
  };
}

/** Nothing is owed any more. */
export function isOver({ phase }: CheckoutView): boolean {
  return phase === 'paid' || phase === 'cancelled' || phase === 'reversed';
}
