// Watches that are put between the SDK and who listens, for judging the judge.
import type { Parts, Source, Wrap } from '../shared/watched/attend.ts';
import type { Hearer, Shown, Subscribe } from '../shared/watched/listener.ts';
import { stateAt, statesOf } from '../shared/watched/service.ts';

const SETTLED = ['PAID', 'CANCELLED', 'REVERSED'];
const LOOKS_EVERY_MS = 500;

/** Gets the listener and gives the one that is put before it. */
export type Change = (to: Hearer, parts: Parts) => Hearer;

/** A watch whose listeners hear something else. */
export const between =
  (change: Change, more: Partial<Source> = {}): Wrap =>
  (source, parts) => {
    const subscribe: Subscribe = (to) => source.subscribe(change(to, parts));
    const { current } = source;
    return { subscribe, current, iterate: () => new Heard(subscribe), ...more };
  };

type Step =
  | { readonly kind: 'next'; readonly value: Shown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'done' };

/** Iterates over what a watch says. */
class Heard implements AsyncIterator<Shown> {
  readonly #steps: Step[] = [];
  readonly #stop: () => void;
  #wake: () => void = () => {};

  constructor(subscribe: Subscribe) {
    this.#stop = subscribe({
      next: (value) => this.#push({ kind: 'next', value }),
      error: (error) => this.#push({ kind: 'error', error }),
      complete: () => this.#push({ kind: 'done' }),
    });
  }

  #push(step: Step): void {
    this.#steps.push(step);
    this.#wake();
  }

  async next(): Promise<IteratorResult<Shown>> {
    let step = this.#steps.shift();
    while (!step) {
      await new Promise<void>((resolve) => void (this.#wake = resolve));
      step = this.#steps.shift();
    }
    if (step.kind === 'error') throw step.error;
    return step.kind === 'done'
      ? { done: true, value: undefined }
      : { done: false, value: step.value };
  }

  async return(): Promise<IteratorResult<Shown>> {
    this.#stop();
    this.#push({ kind: 'done' });
    return { done: true, value: undefined };
  }
}

export const stateOf = ({ value, invoice }: Shown): string | undefined => (value ?? invoice)?.state;

export const withState = (shown: Shown, state: string): Shown => ({
  ...shown,
  value: { ...shown.value, state },
  invoice: { ...shown.invoice, state },
  phase: undefined,
});

/** Calls a listener; what it throws goes to the platform. */
function reported(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** A watch that asks the service's own history, `delay` milliseconds late. */
export const told =
  (delay: number): Wrap =>
  (_source, { stage: { service, clock }, invoice, until }) => {
    const subscribe: Subscribe = (to) => {
      let isOpen = true;
      let last: string | undefined;
      const look = (): void => {
        if (!isOpen) return;
        const states = statesOf(service.history, invoice.invoiceId);
        const state = stateAt(states, clock.now() - delay) ?? 'UNPAID';
        if (state !== last)
          reported(() => to.next({ value: { state }, invoice: { state }, freshness: 'live' }));
        last = state;
        if (until === 'settled' && SETTLED.includes(state)) {
          isOpen = false;
          return to.complete();
        }
        clock.after(LOOKS_EVERY_MS, look);
      };
      look();
      return () => void (isOpen = false);
    };
    return { subscribe, iterate: () => new Heard(subscribe) };
  };

/** Hands on all that it hears. */
export const honest = (to: Hearer): Hearer => ({
  next: (shown) => to.next(shown),
  error: (error) => to.error(error),
  complete: () => to.complete(),
});
