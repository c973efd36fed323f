// Watches that are put between the SDK and who listens, for judging the judge.
import { stateAt } from './service.mjs';

const SETTLED = ['PAID', 'CANCELLED', 'REVERSED'];

/** A watch whose listeners hear something else. `change` gets the listener and gives the one that is put before it. */
export const between =
  (change, more = {}) =>
  (watch, parts) => {
    const subscribe = (to) => watch.subscribe(change(to, parts));
    const current = watch.current && (() => watch.current());
    return { subscribe, current, ...more, [Symbol.asyncIterator]: () => iteratorOf(subscribe) };
  };

/** Makes the part of an iterator that `attend.mjs` uses. */
const iteratorOf = (subscribe) => {
  const news = [];
  let wake = () => {};
  const push = (step) => {
    news.push(step);
    wake();
  };
  const stop = subscribe({
    next: (value) => push({ value, done: false }),
    error: (error) => push({ error }),
    complete: () => push({ done: true }),
  });
  return {
    async next() {
      while (news.length === 0) await new Promise((resolve) => void (wake = resolve));
      const step = news.shift();
      if (step.error) throw step.error;
      return step;
    },
    async return() {
      (stop.unsubscribe ?? stop).call(stop);
      push({ done: true });
    },
  };
};

export const stateOf = (shown) => (shown.value ?? shown.invoice)?.state;
export const withState = (shown, state) => ({
  ...shown,
  value: { ...shown.value, state },
  invoice: { ...shown.invoice, state },
  phase: undefined,
});

/** Calls a listener; what it throws goes to the platform. */
const reported = (call) => {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
};

/** A watch that asks the service's own history, `delay` milliseconds late. */
export const told =
  (delay) =>
  (_watch, { stage: { service, clock }, invoice, listener }) => {
    const subscribe = (to) => {
      let isOpen = true;
      let last;
      const look = () => {
        if (!isOpen) return;
        const states = service.history.get(invoice.invoiceId);
        const state = stateAt(states, clock.now() - delay) ?? 'UNPAID';
        if (state !== last)
          reported(() => to.next({ value: { state }, invoice: { state }, freshness: 'live' }));
        last = state;
        if (listener.until === 'settled' && SETTLED.includes(state)) {
          isOpen = false;
          return to.complete?.();
        }
        clock.after(500, look);
      };
      look();
      return () => void (isOpen = false);
    };
    return { subscribe, [Symbol.asyncIterator]: () => iteratorOf(subscribe) };
  };

export const honest = (to) => ({
  next: (shown) => to.next(shown),
  error: (error) => to.error?.(error),
  complete: () => to.complete?.(),
});
