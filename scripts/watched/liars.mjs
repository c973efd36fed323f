// Watches that lie, with what the judge has to say of each, and watches that tell the truth.
import { between, honest, stateOf, told, withState } from './other-watches.mjs';

/** Name, wrap, and what the judge has to say. */
export const LIARS = [
  [
    'hides a payment',
    between((to) => ({
      ...honest(to),
      next: (shown) => void (['PENDING', 'PAID'].includes(stateOf(shown)) || to.next(shown)),
      complete() {},
    })),
    'false live',
  ],
  [
    'calls stale live',
    between((to) => ({ ...honest(to), next: (shown) => to.next({ ...shown, freshness: 'live' }) })),
    'false live',
  ],
  [
    'says PAID while it is PENDING',
    between((to) => ({
      ...honest(to),
      next: (shown) => to.next(stateOf(shown) === 'PENDING' ? withState(shown, 'PAID') : shown),
    })),
    'false live',
  ],
  ['tells everything 35 s late', told(35_000), 'false live'],
  [
    'completes at once',
    between((to) => ({ ...honest(to), next: (shown) => void (to.next(shown), to.complete?.()) })),
    'wrong end',
  ],
  [
    'ends with an error when something fails',
    between((to) => ({
      ...honest(to),
      next: (shown) => (shown.error ? to.error?.(new Error('gave up')) : to.next(shown)),
    })),
    'wrong end',
  ],
  [
    'leaves a dead code on show',
    between((to) => {
      let quote;
      const next = (shown) => {
        quote ??= shown.quote;
        to.next(quote ? { ...shown, phase: 'awaiting', quote } : shown);
      };
      return { ...honest(to), next };
    }),
    'dead code',
  ],
  [
    'never recovers',
    between((to) => {
      let hasFailed = false;
      return {
        ...honest(to),
        next: (shown) => {
          hasFailed ||= shown.freshness !== 'live';
          to.next(hasFailed ? { ...shown, freshness: 'stale' } : shown);
        },
      };
    }),
    'wrong end',
  ],
  [
    'speaks after its end',
    between((to) => ({
      ...honest(to),
      complete: () => {
        to.complete?.();
        to.next({ value: { state: 'PAID' }, freshness: 'live' });
      },
    })),
    'late',
  ],
  [
    'says that it has just read what it read long ago',
    between((to, { stage: { clock } }) => ({
      ...honest(to),
      next: (shown) => to.next({ ...shown, asOf: clock.now() }),
    })),
    'misdated',
  ],
  [
    'is live alone',
    between(honest, { current: () => ({ value: { state: 'UNPAID' }, freshness: 'live' }) }),
    'live alone',
  ],
  [
    'goes on when all have left',
    (watch, parts) => {
      watch.subscribe({ next() {}, error() {} });
      return between(honest)(watch, parts);
    },
    'left',
  ],
  [
    'leaves a timer',
    between((to, { stage }) => {
      stage.device.clock.after(9e8, () => {});
      return honest(to);
    }),
    'left',
  ],
  [
    'swallows what listeners throw',
    between((to) => ({
      ...honest(to),
      next: (shown) => {
        try {
          to.next(shown);
        } catch {}
      },
    })),
    'thrown',
  ],
  [
    'forgets a promise',
    between((to) => {
      void Promise.reject(new Error('forgotten'));
      return honest(to);
    }),
    'uncaught',
  ],
];

/** The judge must accuse none of these. */
export const TRUE = [
  ['tells the truth at once', told(0)],
  ['tells the truth 31 s late', told(31_000)],
];
