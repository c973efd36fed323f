// Listeners come to a watch and leave it, by one of its forms; some of them throw.
import { type Client, type Invoice, type Watch, watchInvoice } from 'paystate';
import { checkout } from 'paystate/flows';
import { watchInvoice as observeInvoice } from 'paystate/rx';
import type { Listener } from './draw.ts';
import {
  type Hearer,
  isLive,
  listen,
  type ListenerKind,
  type Shown,
  type Subscribe,
  type WatchRecord,
} from './listener.ts';
import type { Act, Stage } from './stage.ts';

/** A listener throws this: it must be reported as uncaught once, and must have no other effect. */
export class OwnError extends Error {}

/** A watch in one of its forms. */
export interface Source {
  readonly subscribe: Subscribe;
  readonly current?: (() => Shown) | undefined;
  iterate(): AsyncIterator<Shown>;
}

/** The facts of the place where a watch is attended. */
export interface Parts {
  readonly stage: Stage;
  readonly invoice: Invoice;
  readonly until: Listener['until'];
}

/** Puts something between a watch and its listeners, which checks the judge. */
export type Wrap = (source: Source, parts: Parts) => Source;

const sourceOf = <T extends Shown>(watch: Watch<T>): Source => ({
  subscribe: (to) => watch.subscribe(to),
  current: () => watch.current(),
  iterate: () => watch[Symbol.asyncIterator](),
});

type Until = { readonly until: Listener['until'] };

function neverIterated(): never {
  throw new Error('observables are not iterated');
}

const SOURCES: Readonly<
  Record<ListenerKind, (client: Client, invoice: Invoice, options: Until) => Source>
> = {
  watch: (client, invoice, options) => sourceOf(watchInvoice(client, invoice, options)),
  rx(client, invoice, options) {
    const source = observeInvoice(client, invoice, options);
    const subscribe: Subscribe = (to) => {
      const subscription = source.subscribe(to);
      return () => subscription.unsubscribe();
    };
    return { subscribe, iterate: neverIterated };
  },
  iterate: (client, invoice, options) => sourceOf(watchInvoice(client, invoice, options)),
  checkout: (client, { invoiceId }, options) =>
    sourceOf(checkout(client, { invoiceId, ...options })),
};

/** Subscribes by `for await`, as far as a record needs it. */
const iterated =
  (source: Source): Subscribe =>
  (to) => {
    const iterator = source.iterate();
    let hasLeft = false;
    const go = async (): Promise<void> => {
      try {
        for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
          if (hasLeft) return; // a loop that has ended hears nothing
          to.next(step.value);
        }
        if (!hasLeft) to.complete(); // leaving ends the loop too
      } catch (error) {
        to.error(error);
      }
    };
    void go();
    return () => {
      hasLeft = true;
      void iterator.return?.();
    };
  };

/** Counts what listeners have thrown. */
export interface Thrown {
  thrown: number;
}

export interface Attendance {
  readonly stage: Stage;
  readonly client: Client;
  readonly invoice: Invoice;
  readonly listener: Listener;
  readonly record: WatchRecord;
  readonly wrap?: Wrap | undefined;
  readonly counted: Thrown;
}

/** Acts by which someone comes and goes, and what ends all of it. */
export function attend(attendance: Attendance): { readonly acts: readonly Act[]; leave(): void } {
  const { stage, client, invoice, listener, record, wrap, counted } = attendance;
  const { kind, until, spans, throws } = listener;
  const own = SOURCES[kind](client, invoice, { until });
  const source = wrap?.(own, { stage, invoice, until }) ?? own;
  const subscribe = kind === 'iterate' ? iterated(source) : source.subscribe;
  let leaving: readonly (() => void)[] = [];
  const leave = (): void => {
    for (const one of leaving) one();
    leaving = [];
  };
  const come = (): void => {
    if (record.ends?.how === 'complete') return;
    leaving = [listen(record, subscribe)];
    if (throws) leaving = [...leaving, source.subscribe(noisy(counted))];
  };
  const go = (): void => {
    const isOpen = record.ends === undefined;
    leave();
    const { current } = source;
    if (!isOpen || !current) return;
    stage.clock.after(1, () => {
      const wasLeft = record.said.at(-1)?.isOff;
      if (wasLeft && record.ends === undefined && isLive(current()))
        record.faults.push(`live alone: ${record.name} is live with nobody listening`);
    });
  };
  const acts = spans.flatMap(([from, to]) => [
    { at: from, act: () => stage.device.use(come) },
    ...(to === Infinity ? [] : [{ at: to, act: () => stage.device.use(go) }]),
  ]);
  return { acts, leave };
}

const noisy = (counted: Thrown): Hearer => ({
  next() {
    counted.thrown++;
    throw new OwnError('a listener of the user');
  },
  error: () => {},
  complete: () => {},
});
