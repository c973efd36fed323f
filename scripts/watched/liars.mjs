// The judge, judged: watches that lie have to be seen, and those that tell the truth must not be accused.
import { runSchedule } from './run.mjs';
import { between, honest, stateOf, told, withState } from './other-watches.mjs';

const SEEDS = 40;

/** Name, wrap, and what the judge has to say. */
const LIARS = [
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
  ['tells everything a minute late', told(60_000), 'false live'],
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

const TRUE = [
  ['tells the truth at once', told(0)],
  ['tells the truth 31 s late', told(31_000)],
];

const kindsOf = (run) => new Set(run.faults.map((text) => text.split(/[:,]/)[0]));

/** Exit code 1 where a lie goes unseen, or the truth is called a lie. */
export const playLiars = async (strays) => {
  const own = [];
  for (let seed = 1; seed <= SEEDS; seed++) own.push(kindsOf(await runSchedule(seed, { strays })));
  let wrong = 0;
  for (const [name, wrap, kind] of LIARS) {
    let seen = 0;
    for (let seed = 1; seed <= SEEDS && seen < 3; seed++) {
      const isNew = !own[seed - 1].has(kind);
      if (isNew && kindsOf(await runSchedule(seed, { strays, wrap })).has(kind)) seen++;
    }
    if (seen < 3) wrong++;
    console.log(`${seen < 3 ? 'NOT SEEN' : 'seen'}: a watch that ${name}`);
  }
  for (const [name, wrap] of TRUE) {
    const accused = [];
    for (let seed = 1; seed <= SEEDS; seed++)
      accused.push(
        ...(await runSchedule(seed, { strays, wrap })).faults.map((text) => `${seed}: ${text}`),
      );
    if (accused.length > 0) wrong++;
    console.log(
      `${accused.length > 0 ? `ACCUSED (${accused.slice(0, 3).join('; ')})` : 'believed'}: a watch that ${name}`,
    );
  }
  console.log(wrong === 0 ? 'ok liars: every lie seen, no truth accused' : `liars: ${wrong} wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
};
