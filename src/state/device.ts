import { type Connection, internals, type Slot, stateOf } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';

type Listen = (type: string, listener: (event: { readonly type: string }) => void) => void;

interface Emitter {
  readonly addEventListener: Listen;
  readonly removeEventListener: Listen;
}

interface Scope extends Emitter {
  readonly document?: { readonly visibilityState?: string };
  readonly navigator?: { readonly onLine?: boolean };
}

const EVENTS = ['visibilitychange', 'pageshow', 'pagehide', 'focus', 'online', 'offline'];

/** The page that this code runs in. Outside pages it is always visible and never offline. */
export interface CurrentPage {
  isHidden(): boolean;
  isOffline(): boolean;
  /**
   * Calls `changed` with the type of each event by which the page or the network may come or go.
   */
  listen(changed: (type: string) => void): () => void;
}

/** The page that this code runs in, if there is one. Touches no global before it is called. */
export function currentPage(): CurrentPage {
  const scope = globalThis as unknown as Scope;
  const { document } = scope;
  return {
    isHidden: () => document?.visibilityState === 'hidden',
    isOffline: () => document !== undefined && scope.navigator?.onLine === false,
    listen(changed) {
      const onEvent = ({ type }: { readonly type: string }) => changed(type);
      const each = (method: keyof Emitter) => {
        if (document) for (const type of EVENTS) scope[method](type, onEvent);
      };
      each('addEventListener');
      return () => each('removeEventListener');
    },
  };
}

/** Smaller differences of the two clocks are no jump, milliseconds. */
const CLOCK_JUMP_MS = 50;

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
    if (Math.abs(jump) > CLOCK_JUMP_MS) {
      known += jump;
      jumped += Math.max(0, jump);
    }
    return at + jumped;
  };
  return { ...clock, aged, monotonic: () => aged(clock.monotonic()) };
}

/** A timer that is later than this was asleep, milliseconds; hidden pages wait for a minute. */
const SLEEP_MS = 300_000;

/**
 * Notices that the machine was asleep: a timer came much too late by one of the two clocks. The
 * monotonic one stands still during a sleep on most platforms.
 */
export class SleepDetector {
  readonly #clock: Clock;
  /** What both clocks show at most when the next timer rings. */
  #wall: number = Infinity;
  #monotonic: number = Infinity;
  /** A sleep was noticed before the timer rang. */
  #isNoticed: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A timer was set for this monotonic time, which may have passed. */
  expect(at: number): void {
    this.#isNoticed ||= this.#isLate; // who comes first after a sleep sets it anew
    const now = this.#clock.monotonic();
    this.#monotonic = Math.max(at, now);
    this.#wall = this.#clock.now() + this.#monotonic - now;
  }

  /** Asked when the timer rings. */
  hasSlept(): boolean {
    const hasSlept = this.#isNoticed || this.#isLate;
    this.#isNoticed = false;
    return hasSlept;
  }

  get #isLate(): boolean {
    const late = this.#clock.monotonic() - this.#monotonic;
    return Math.max(late, this.#clock.now() - this.#wall) > SLEEP_MS;
  }
}
