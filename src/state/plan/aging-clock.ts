import { type Connection, internals, type Slot, stateOf } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';

/** Smaller differences of the two clocks are no jump, milliseconds. */
const JUMP_MS = 50;

/** A clock by which what is old by the machine's monotonic clock or by its wall clock is old. */
interface AgingClock extends Clock {
  /** A time of the machine's monotonic clock by this one. */
  aged(at: number): number;
}

const AGING: Slot<AgingClock> = {
  name: 'state.clock',
  make: (client) => agingClock(client[internals].clock),
};

/**
 * A client's clock whose monotonic time also goes on with each forward jump of the wall clock: on
 * most platforms the monotonic clock stands still while the machine sleeps. Timers run on the
 * machine's clock.
 */
export function agingClockOf(client: Connection): AgingClock {
  return stateOf(client, AGING);
}

function agingClock(clock: Clock): AgingClock {
  const ahead = () => clock.now() - clock.monotonic();
  let known = ahead();
  let jumped = 0;
  const aged = (at: number) => {
    const jump = ahead() - known;
    if (Math.abs(jump) > JUMP_MS) {
      known += jump;
      jumped += Math.max(0, jump);
    }
    return at + jumped;
  };
  return { ...clock, aged, monotonic: () => aged(clock.monotonic()) };
}
