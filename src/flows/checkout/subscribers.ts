import { type Observer, sameContent } from '../../core/watch.ts';
import type { CheckoutOptions, CheckoutView } from './view.ts';

const PAUSE_AFTER_MS = 600_000;

/** Who subscribed to one checkout, and what they were shown. */
interface Subscriber {
  readonly to: Observer<CheckoutView>;
  readonly options: CheckoutOptions;
  shown?: CheckoutView;
}

/** All who subscribed to the checkouts of one invoice. */
export class Subscribers {
  readonly #all: Set<Subscriber> = new Set();

  get size(): number {
    return this.#all.size;
  }

  /** The longest time that one of them wants codes without a touch, milliseconds. */
  get pauseAfter(): number {
    return Math.max(...[...this.#all].map(({ options }) => options.pauseAfter ?? PAUSE_AFTER_MS));
  }

  /** The function returned takes the subscriber away again. */
  add(to: Observer<CheckoutView>, options: CheckoutOptions): () => void {
    const subscriber: Subscriber = { to, options };
    this.#all.add(subscriber);
    return () => void this.#all.delete(subscriber);
  }

  /** Shows each what is new to them; one of them may change what is shown to the next. */
  show(viewFor: (includeOnchain: boolean) => CheckoutView): void {
    for (const subscriber of [...this.#all]) {
      const view = viewFor(subscriber.options.includeOnchain === true);
      if (sameContent(view, subscriber.shown)) continue;
      subscriber.shown = view;
      subscriber.to.next(view);
    }
  }

  /** What they see. */
  get phases(): ReadonlySet<CheckoutView['phase'] | undefined> {
    return new Set([...this.#all].map(({ shown }) => shown?.phase));
  }

  fail(reason: unknown): void {
    for (const { to } of [...this.#all]) to.error(reason);
  }

  /** Ends it for those who wait for a settled invoice. */
  complete(): void {
    for (const { to, options } of [...this.#all]) if (options.until !== 'never') to.complete();
  }
}
