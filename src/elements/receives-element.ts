import { type Connection, refuseClient } from '../core/http/index.ts';
import { addMoney, formatMoney, type Money } from '../money/index.ts';
import type { Receive, ReceiveRequestId } from '../resources/receive-requests.ts';
import { type Receives, type Snapshot, watchReceives } from '../state/index.ts';
import { figure, make, mark, say } from './dom.ts';
import { elementClass, chooseLocale, type Shown } from './element-class.ts';
import type { TypedElement } from './page-element.ts';
import { receivesEn, type ReceivesTexts } from './texts.ts';

const LIST = `[part=card]>*{flex:1 0 100%}
ol{padding:0;list-style:none}
li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 0;border-top:1px solid var(--line)}
[part=name]{color:var(--quiet)}`;

/** Properties of `<paystate-receives>`. */
export interface ReceivesProperties {
  /** A client, or a connection from `createConnection`. */
  client?: Connection | undefined;
  /** Id of an existing receive request. */
  receiveRequestId?: ReceiveRequestId | undefined;
  /** Locale for numbers and times, as a BCP 47 tag. Defaults to the texts' locale. */
  locale?: string | undefined;
  /**
   * Texts to display. Defaults to English. For other languages, pass for example `elementsDe` from
   * `paystate/messages/de`.
   */
  catalogue?: ReceivesTexts | undefined;
}

/** Events of `<paystate-receives>` by name. */
export interface ReceivesEvents {
  /** Dispatched when the list changes. The event's `detail` is the new snapshot. */
  'paystate-change': CustomEvent<Snapshot<Receives>>;
}

/** The `<paystate-receives>` element, which lists the payments to a receive request. */
export interface ReceivesElement extends TypedElement<ReceivesProperties, ReceivesEvents> {}

/** Creates the `<paystate-receives>` class. Requires a document. */
export function receivesElement(): new () => ReceivesElement {
  const names = ['client', 'receiveRequestId', 'locale', 'catalogue'];
  return elementClass<ReceivesProperties, Snapshot<Receives>>(
    names,
    () => startReceives,
  ) as new () => ReceivesElement;
}

function startReceives(
  { client, receiveRequestId, locale, catalogue }: ReceivesProperties,
  changed: (snapshot: Snapshot<Receives>) => void,
): Shown {
  const texts = catalogue ?? receivesEn;
  const error = client && refuseClient(client);
  const isAble = client && !error && receiveRequestId;
  const watch = isAble ? watchReceives(client, receiveRequestId) : undefined;
  const retry = (): void => watch?.retry();
  const card = new ReceivesCard({
    texts,
    locale: chooseLocale(locale, texts),
    retry: watch && retry,
  });
  const shown = { root: card.card, look: LIST, retry };
  const next = (snapshot: Snapshot<Receives>): void => {
    card.show(snapshot);
    changed(snapshot);
  };
  if (error) next({ freshness: 'failed', error });
  if (!watch) return { ...shown, stop() {} };
  const stop = watch.subscribe({
    next,
    error() {}, // the last snapshot contains the error
    complete() {},
  });
  return { ...shown, stop };
}

const FULL = { dateStyle: 'medium', timeStyle: 'short' } as const;

const TROUBLES = {
  loading: 'listLoading',
  stale: 'listStale',
  offline: 'listOffline',
  blocked: 'listBlocked',
  failed: 'listFailed',
} as const;

interface CardOptions {
  readonly texts: ReceivesTexts;
  /** Locale for numbers and times. */
  readonly locale: string;
  /** Restarts the watch after an error has ended it. Absent if there's no watch. */
  readonly retry?: (() => void) | undefined;
}

class ReceivesCard {
  readonly card: HTMLElement;
  readonly #total: HTMLElement = mark(make('div', 'amount'), { role: 'status' });
  readonly #list: HTMLElement = make('ol', 'list');
  readonly #note: HTMLElement = mark(make('div', 'note'), { role: 'status' });
  readonly #again: HTMLButtonElement;
  readonly #options: CardOptions;

  constructor(options: CardOptions) {
    const { texts } = options;
    const title = make('h2', 'title', texts.receives);
    this.#again = make('button', 'again', texts.again) as HTMLButtonElement;
    this.#again.hidden = true;
    this.#again.onclick = () => options.retry?.();
    this.card = make('section', 'card', title, this.#total, this.#list, this.#note, this.#again);
    this.card.lang = texts.locale;
    this.#options = options;
    say(this.#note, texts.listLoading);
  }

  show({ value, freshness, error, pending }: Snapshot<Receives>): void {
    const { texts, retry } = this.#options;
    this.#again.hidden = freshness !== 'failed' || !retry;
    const receives = [...(value?.receives ?? [])].reverse();
    say(this.#total, addTotals(receives).map(this.#inWords).join(' + '));
    this.#list.replaceChildren(...receives.map((receive) => this.#line(receive)));
    const none = receives[0] ? '' : texts.none;
    say(
      this.#note,
      freshness === 'live' || (pending && !error) ? none : texts[TROUBLES[freshness]],
    );
  }

  readonly #inWords = (value: Money): string =>
    figure(formatMoney(value, { locale: this.#options.locale, bitcoinUnit: 'sat' }));

  #line({ amountReceived, amountCredited, created, completed }: Receive): HTMLElement {
    const { texts, locale } = this.#options;
    const time = new Date(completed ?? created).toLocaleString(locale, FULL);
    const value = [amountReceived, amountCredited].flatMap((one) =>
      one ? this.#inWords(one) : [],
    );
    const amounts = make('span', 'value');
    say(amounts, [...new Set(value)].join(' · '));
    const when = make('span', 'name', completed ? time : `${time} · ${texts.incoming}`);
    return make('li', 'receive', amounts, when);
  }
}

/** Returns the total credited amounts, one per currency. */
function addTotals(receives: readonly Receive[]): readonly Money[] {
  const sums = new Map<string, Money>();
  for (const { amountCredited } of receives) {
    if (!amountCredited) continue;
    const before = sums.get(amountCredited.currency);
    sums.set(amountCredited.currency, before ? addMoney(before, amountCredited) : amountCredited);
  }
  return [...sums.values()];
}
