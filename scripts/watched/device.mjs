// The machine that the SDK runs on: a clock that can be wrong, a processor that can sleep, timers that are counted.

/** `world` is the sandbox's clock. */
export const createDevice = (world) => {
  const timers = new Set();
  const sleeps = []; // { from, to, stands } in the world's time
  const skews = new Set();
  const whenAwake = [];
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

  const wake = () => {
    asleep.to = world.now();
    if (asleep.stands) stood += world.monotonic() - asleep.monotonic;
    asleep = undefined;
    for (const timer of timers) arm(timer);
    woken();
    for (const act of whenAwake.splice(0)) act();
  };

  return {
    clock: {
      now: () => world.now() + [...skews].reduce((sum, one) => sum + one.by, 0),
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
    /** Does at once what a person does with the machine; asleep, as soon as it is awake. */
    use: (act) => (asleep ? void whenAwake.push(act) : act()),
    /** The clock on the wall is ahead by so much; returns what sets it right. */
    setAhead(by) {
      const skew = { by };
      skews.add(skew);
      return () => void skews.delete(skew);
    },
    /** `stands`: the monotonic clock stands still meanwhile, as on most platforms. Returns what wakes it. */
    sleep(stands = true) {
      if (asleep) return () => {};
      asleep = { from: world.now(), to: Infinity, stands, monotonic: world.monotonic() };
      sleeps.push(asleep);
      for (const timer of timers) timer.cancel();
      waking = new Promise((resolve) => void (woken = resolve));
      return wake;
    },
  };
};
