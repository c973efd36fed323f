// workerd has no test runner: tests are collected while the module loads and run inside a request, because timers,
// fetch and randomness exist only there.
import { runCollected } from './collected.ts';

import { guarded } from './strict.ts';

export {
  type Context,
  describe,
  endFile,
  it,
  itLong,
  itWhole,
  sized,
  turns,
} from './collected.ts';

// What a timer throws is heard of nowhere in workerd, so each tells it by itself.
const scope = globalThis as unknown as Record<
  string,
  (work: unknown, ...rest: unknown[]) => unknown
>;
for (const name of ['setTimeout', 'setInterval', 'queueMicrotask']) {
  const real = scope[name]!;
  scope[name] = (work, ...rest) =>
    real(typeof work === 'function' ? guarded(work as () => unknown) : work, ...rest);
}

const LONGEST_TEST_MS = 30_000;

export const runAll = () => runCollected(LONGEST_TEST_MS);
