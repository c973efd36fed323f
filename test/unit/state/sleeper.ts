import type { Clock, Shop } from './shop.ts';

/** A machine that can sleep: timers ring when it wakes; its monotonic clock may stand still. */
export function sleeper(standsStill: boolean): {
  timed: (clock: Clock) => Clock;
  sleep: (
    { sandbox }: Pick<Shop, 'sandbox'>,
    ms: number,
    meanwhile?: () => Promise<void>,
    first?: () => void,
  ) => Promise<void>;
} {
  let slept = 0;
  let isAsleep = false;
  const late: (() => void)[] = [];
  const timed = (clock: Clock): Clock => ({
    ...clock,
    monotonic: () => clock.monotonic() - (standsStill ? slept : 0),
    after: (ms, ring) => clock.after(ms, () => void (isAsleep ? late.push(ring) : ring())),
  });
  const sleep = async (
    { sandbox }: Pick<Shop, 'sandbox'>,
    ms: number,
    meanwhile?: () => Promise<void>,
    first?: () => void,
  ) => {
    const before = sandbox.clock.monotonic();
    isAsleep = true;
    await meanwhile?.();
    await sandbox.advance(ms);
    slept += sandbox.clock.monotonic() - before;
    isAsleep = false;
    first?.();
    for (const ring of late.splice(0)) ring();
  };
  return { timed, sleep };
}
