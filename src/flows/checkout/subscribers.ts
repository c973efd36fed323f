import { type Observer, sameContent } from '../../core/watch.ts';
import type { CheckoutOptions, CheckoutView } from './view.ts';

const PAUSE_AFTER_MS = 600_000;

/** A subscriber of one checkout, and the view that it was last shown. */
interface Subscriber {
  readonly to: Observer<CheckoutView>;
  readonly options: CheckoutOptions;
  shown?: CheckoutView;
}

/** All subscribers of the checkouts of one invoice. */
export class Subscribers {
  readonly #all: Set<Subscriber> = new Set();

  get size(): number {
    return this.#all.size;
  }

  /** The longest time, milliseconds, for which one of them wants codes without a touch. */
  get pauseAfter(): number {
    return Math.max(...[...this.#all].map(({ options }) => options.pauseAfter ?? PAUSE_AFTER_MS));
  }

  /** Adds a subscriber; the result removes it. */
  add(to: Observer<CheckoutView>, options: CheckoutOptions): () => void {
    const subscriber: Subscriber = { to, options };
    this.#all.add(subscriber);
    return () => void this.#all.delete(subscriber);
  }

  /**
   * Shows each subscriber its view where it is new. A subscriber may change what the next one is
   * shown.
   */
  show(viewFor: (includeOnchain: boolean) => CheckoutView): void {
    for (const subscriber of [...this.#all]) {
      const view = viewFor(subscriber.options.includeOnchain === true);
      if (sameContent(view, subscriber.shown)) continue;
      subscriber.shown = view;
      subscriber.to.next(view);
    }
  }

  /** The phases that the subscribers see. */
  get phases(): ReadonlySet<CheckoutView['phase'] | undefined> {
    return new Set([...this.#all].map(({ shown }) => shown?.phase));
  }

  fail(reason: unknown): void {
    for (const { to } of [...this.#all]) to.error(reason);
  }

  /** Completes the subscribers that wait for a settled invoice. */
  complete(): void {
    for (const { to, options } of [...this.#all]) if (options.until !== 'never') to.complete();
  }
}
