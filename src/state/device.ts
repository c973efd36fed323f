import { type Connection, internals, type Slot, slotState } from '../core/http/index.ts';
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

/** The page that this code runs in. Outside a browser, it's always visible and never offline. */
export interface CurrentPage {
  isHidden(): boolean;
  isOffline(): boolean;
  /**
   * Calls `changed` with the type of each event that may show or hide the page or change its
   * network connection. Returns a function that removes the listeners.
   */
  listen(changed: (type: string) => void): () => void;
}

/** Returns the page that this code runs in. Globals aren't read until this is called. */
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

/** How far the two clocks may drift apart before that counts as a jump, in milliseconds. */
const CLOCK_JUMP_MS = 50;

/** A clock whose monotonic time also advances while the machine sleeps. */
interface AgingClock extends Clock {
  /** Converts a time on the machine's monotonic clock to a time on this clock. */
  aged(at: number): number;
}

const AGING: Slot<AgingClock> = {
  name: 'state.clock',
  make: (client) => agingClock(client[internals].clock),
};

/**
 * Returns a client's clock. On most platforms, the monotonic clock stops while the machine sleeps.
 * The monotonic time of this clock therefore also advances with each forward jump of the wall
 * clock. Timers use the machine's clock.
 */
export function makeAgingClock(client: Connection): AgingClock {
  return slotState(client, AGING);
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

/**
 * How late a timer must fire to show that the machine was asleep, in milliseconds. It's longer than
 * a minute, because browsers delay the timers of hidden pages by up to a minute.
 */
const SLEEP_MS = 300_000;

/**
 * Detects that the machine was asleep. After a sleep, a timer fires much too late according to one
 * of the two clocks. Both are checked, because the monotonic clock stops during sleep on most
 * platforms.
 */
export class SleepDetector {
  readonly #clock: Clock;
  /**
   * The wall-clock time at which the timer should fire. The next field is the same time on the
   * monotonic clock.
   */
  #wall: number = Infinity;
  #monotonic: number = Infinity;
  /** Whether a sleep was detected before the timer fired. */
  #isNoticed: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records that a timer was set for this time on the monotonic clock. The time may be in the past.
   */
  expect(at: number): void {
    this.#isNoticed ||= this.#isLate; // other code might set the timer again before it fires
    const now = this.#clock.monotonic();
    this.#monotonic = Math.max(at, now);
    this.#wall = this.#clock.now() + this.#monotonic - now;
  }

  /**
   * Returns whether the machine has slept since the timer was set. It's called when the timer
   * fires.
   */
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
