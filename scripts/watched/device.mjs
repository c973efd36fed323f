// The machine that the SDK runs on: a clock that can be wrong, a processor that can sleep, timers that are counted.

/** `world` is the sandbox's clock. */
export const createDevice = (world) => {
  const timers = new Set();
  const sleeps = []; // { from, to, stands } in the world's time
  let skew = 0;
  let stood = 0; // milliseconds that `monotonic` has missed
  let asleep;
  let woken = () => {};
  let waking = Promise.resolve();

  const monotonic = () => (asleep?.stands ? asleep.monotonic : world.monotonic()) - stood;

  const arm = (timer) => {
    if (asleep) return;
    timer.cancel = world.after(Math.max(0, timer.due - monotonic()), () => {
      if (asleep || timer.due > monotonic()) return arm(timer);
      timers.delete(timer);
      timer.ring();
    });
  };

  const after = (ms, ring) => {
    const timer = { due: monotonic() + ms, ring, cancel: () => {} };
    if (ms === Infinity) return () => {};
    timers.add(timer);
    arm(timer);
    return () => {
      timers.delete(timer);
      timer.cancel();
    };
  };

  const wait = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        cancel();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const cancel = after(ms, done);
      signal?.addEventListener('abort', done);
    });

  return {
    clock: {
      now: () => world.now() + skew,
      monotonic,
      after,
      wait,
      external: (work) => world.external(work),
    },
    /** Waits that are set and not over. */
    timers: () => timers.size,
    sleeps,
    /** Resolves as soon as the machine is awake. */
    awake: () => waking,
    isAsleep: () => asleep !== undefined,
    setSkew: (ms) => void (skew = ms),
    /** `stands`: the monotonic clock stands still meanwhile, as on most platforms. */
    sleep(stands = true) {
      asleep = { from: world.now(), to: Infinity, stands, monotonic: world.monotonic() };
      sleeps.push(asleep);
      for (const timer of timers) timer.cancel();
      waking = new Promise((resolve) => void (woken = resolve));
    },
    wake() {
      if (!asleep) return;
      asleep.to = world.now();
      if (asleep.stands) stood += world.monotonic() - asleep.monotonic;
      asleep = undefined;
      for (const timer of timers) arm(timer);
      woken();
    },
  };
};
