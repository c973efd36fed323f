// Watches that lie, with what the judge has to say of each, and watches that tell the truth.
import type { Wrap } from '../shared/watched/attend.ts';
import type { Hearer, Shown } from '../shared/watched/listener.ts';
import { between, honest, stateOf, told, withState } from './other-watches.ts';

/** Kinds of faults that the judge says. */
type FaultKind =
  | 'false live'
  | 'wrong end'
  | 'dead code'
  | 'late'
  | 'misdated'
  | 'live alone'
  | 'left'
  | 'thrown'
  | 'uncaught';

export interface Liar {
  /** A watch that … */
  readonly name: string;
  readonly wrap: Wrap;
  readonly fault: FaultKind;
}

/** Changes what listeners hear, and nothing else. */
const saying = (change: (shown: Shown) => Shown): Wrap =>
  between((to) => ({ ...honest(to), next: (shown) => to.next(change(shown)) }));

/** Shows the first code for ever. */
function withOldCode(to: Hearer): Hearer {
  let quote: Shown['quote'];
  const next = (shown: Shown): void => {
    quote ??= shown.quote;
    to.next(quote ? { ...shown, phase: 'awaiting', quote } : shown);
  };
  return { ...honest(to), next };
}

/** Stays stale once something has failed. */
function neverAgain(to: Hearer): Hearer {
  let hasFailed = false;
  const next = (shown: Shown): void => {
    hasFailed ||= shown.freshness !== 'live';
    to.next(hasFailed ? { ...shown, freshness: 'stale' } : shown);
  };
  return { ...honest(to), next };
}

const isPaid = (shown: Shown): boolean => ['PENDING', 'PAID'].includes(stateOf(shown) ?? '');

const LIES_ABOUT_STATES: readonly Liar[] = [
  {
    name: 'hides a payment',
    fault: 'false live',
    wrap: between((to) => ({
      ...honest(to),
      next: (shown) => void (isPaid(shown) || to.next(shown)),
      complete() {},
    })),
  },
  {
    name: 'calls stale live',
    fault: 'false live',
    wrap: saying((shown) => ({ ...shown, freshness: 'live' })),
  },
  {
    name: 'says PAID while it is PENDING',
    fault: 'false live',
    wrap: saying((shown) => (stateOf(shown) === 'PENDING' ? withState(shown, 'PAID') : shown)),
  },
  { name: 'tells everything 35 s late', fault: 'false live', wrap: told(35_000) },
  {
    name: 'says that it has just read what it read long ago',
    fault: 'misdated',
    wrap: between((to, { stage: { clock } }) => ({
      ...honest(to),
      next: (shown) => to.next({ ...shown, asOf: clock.now() }),
    })),
  },
  { name: 'leaves a dead code on show', fault: 'dead code', wrap: between(withOldCode) },
];

const LIES_ABOUT_ENDS: readonly Liar[] = [
  {
    name: 'completes at once',
    fault: 'wrong end',
    wrap: between((to) => ({
      ...honest(to),
      next(shown) {
        to.next(shown);
        to.complete();
      },
    })),
  },
  {
    name: 'ends with an error when something fails',
    fault: 'wrong end',
    wrap: between((to) => ({
      ...honest(to),
      next: (shown) => (shown.error ? to.error(new Error('gave up')) : to.next(shown)),
    })),
  },
  { name: 'never recovers', fault: 'wrong end', wrap: between(neverAgain) },
  {
    name: 'speaks after its end',
    fault: 'late',
    wrap: between((to) => ({
      ...honest(to),
      complete() {
        to.complete();
        to.next({ value: { state: 'PAID' }, freshness: 'live' });
      },
    })),
  },
];

const BAD_MANNERS: readonly Liar[] = [
  {
    name: 'is live alone',
    fault: 'live alone',
    wrap: between(honest, { current: () => ({ value: { state: 'UNPAID' }, freshness: 'live' }) }),
  },
  {
    name: 'goes on when all have left',
    fault: 'left',
    wrap(source, parts) {
      source.subscribe({ next() {}, error() {}, complete() {} });
      return between(honest)(source, parts);
    },
  },
  {
    name: 'leaves a timer',
    fault: 'left',
    wrap: between((to, { stage }) => {
      stage.device.clock.after(9e8, () => {});
      return honest(to);
    }),
  },
  {
    name: 'swallows what listeners throw',
    fault: 'thrown',
    wrap: between((to) => ({
      ...honest(to),
      next(shown) {
        try {
          to.next(shown);
        } catch {}
      },
    })),
  },
  {
    name: 'forgets a promise',
    fault: 'uncaught',
    wrap: between((to) => {
      void Promise.reject(new Error('forgotten'));
      return honest(to);
    }),
  },
];

export const LIARS: readonly Liar[] = [...LIES_ABOUT_STATES, ...LIES_ABOUT_ENDS, ...BAD_MANNERS];

/** The judge must accuse none of these. */
export const TRUE: readonly Pick<Liar, 'name' | 'wrap'>[] = [
  { name: 'tells the truth at once', wrap: told(0) },
  { name: 'tells the truth 31 s late', wrap: told(31_000) },
];
