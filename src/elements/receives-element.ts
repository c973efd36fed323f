import { type Connection, refuseClient } from '../core/http/index.ts';
import type { ReceiveRequestId } from '../resources/receive-requests.ts';
import { type Receives, type Snapshot, watchReceives } from '../state/index.ts';
import { elementClass, type Shown } from './element-class.ts';
import { localeOf } from './locale-of.ts';
import type { TypedElement } from './page-element.ts';
import { ReceivesCard } from './receives-card.ts';
import { receivesEn } from './receives-texts.ts';
import type { ReceivesTexts } from './texts.ts';

const LIST = `[part=card]>*{flex:1 0 100%}
ol{padding:0;list-style:none}
li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.5rem 0;border-top:1px solid var(--line)}
[part=name]{color:var(--quiet)}`;

/** What a page gives to `<paystate-receives>`. */
export interface ReceivesProperties {
  /** A client, or a connection of `connect`. */
  client?: Connection | undefined;
  /** Of a receive request that exists. */
  receiveRequestId?: ReceiveRequestId | undefined;
  /** BCP 47 tag for numbers and times; that of the texts. */
  locale?: string | undefined;
  /** The texts; English. `elementsDe` of `paystate/messages/de`, and so on. */
  catalogue?: ReceivesTexts | undefined;
}

/** Events of `<paystate-receives>`, by name. */
export interface ReceivesEvents {
  /** The list shows something else, which is `detail` of the event. */
  'paystate-change': CustomEvent<Snapshot<Receives>>;
}

/** `<paystate-receives>`. */
export interface ReceivesElement extends TypedElement<ReceivesProperties, ReceivesEvents> {}

/** Makes the class of `<paystate-receives>`; only where there is a document. */
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
    locale: localeOf(locale, texts),
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
    error() {}, // the last snapshot says so
    complete() {},
  });
  return { ...shown, stop };
}
