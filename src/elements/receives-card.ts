import { addMoney, formatMoney, type Money } from '../money/index.ts';
import type { Receive } from '../resources/receive-requests.ts';
import type { Receives, Snapshot } from '../state/index.ts';
import { figure, make, mark, say } from './dom.ts';
import type { ReceivesTexts } from './texts.ts';

const FULL = { dateStyle: 'medium', timeStyle: 'short' } as const;

const TROUBLES = {
  loading: 'listLoading',
  stale: 'listStale',
  offline: 'listOffline',
  blocked: 'listBlocked',
  failed: 'listFailed',
} as const;

/** How a list speaks. */
interface CardOptions {
  readonly texts: ReceivesTexts;
  /** In which numbers and times are written. */
  readonly locale: string;
  /** Reads again after an end by an error; absent where that cannot help. */
  readonly retry?: (() => void) | undefined;
}

/** The card of one list: writes what was read into its parts. */
export class ReceivesCard {
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

  /** Shows what came in, the newest first. */
  show({ value, freshness, error, pending }: Snapshot<Receives>): void {
    const { texts, retry } = this.#options;
    this.#again.hidden = freshness !== 'failed' || !retry;
    const receives = [...(value?.receives ?? [])].reverse();
    say(this.#total, totalsOf(receives).map(this.#inWords).join(' + '));
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

/** What was credited, one sum for each currency. */
function totalsOf(receives: readonly Receive[]): readonly Money[] {
  const sums = new Map<string, Money>();
  for (const { amountCredited } of receives) {
    if (!amountCredited) continue;
    const before = sums.get(amountCredited.currency);
    sums.set(amountCredited.currency, before ? addMoney(before, amountCredited) : amountCredited);
  }
  return [...sums.values()];
}
