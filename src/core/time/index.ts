export { onAbort } from './abort.ts';
export { Alarm } from './alarm.ts';
export { type Clock, systemClock, waitOn } from './clock.ts';
export {
  millisOf,
  secondsOf,
  textOfSecond,
  type Ticks,
  TICKS_PER_SECOND,
  ticksOf,
} from './instant.ts';
