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

/** The page that this code runs in. Outside of pages it is always visible and never offline. */
export interface CurrentPage {
  isHidden(): boolean;
  isOffline(): boolean;
  /**
   * Calls `changed` with the type of each event by which the page or the network may come or go;
   * returns a function that ends it.
   */
  listen(changed: (type: string) => void): () => void;
}

/** Returns the page that this code runs in. It reads no global before it is called. */
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

/** The clocks may drift apart by this much before it counts as a jump, milliseconds. */
const CLOCK_JUMP_MS = 50;

/** A clock whose monotonic time also counts the time that the machine was asleep. */
interface AgingClock extends Clock {
  /** Converts a time of the machine's monotonic clock into one of this clock. */
  aged(at: number): number;
}

const AGING: Slot<AgingClock> = {
  name: 'state.clock',
  make: (client) => agingClock(client[internals].clock),
};

/**
 * Returns the clock of a client. Its monotonic time also goes on with each forward jump of the wall
 * clock, because on most platforms the machine's monotonic clock stops while the machine sleeps.
 * Timers run on the machine's clock.
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
 * The machine slept if a timer is later than this, milliseconds; hidden pages delay by a minute.
 */
const SLEEP_MS = 300_000;

/**
 * Notices that the machine was asleep: a timer came much too late by one of the two clocks. On most
 * platforms the monotonic clock stops during a sleep.
 */
export class SleepDetector {
  readonly #clock: Clock;
  /** The two clocks will show these times when the next timer rings, if it is not late. */
  #wall: number = Infinity;
  #monotonic: number = Infinity;
  /** A sleep was noticed before the timer rang: its callback is still to be told. */
  #isNoticed: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes that a timer was set for this monotonic time, which may have passed. */
  expect(at: number): void {
    this.#isNoticed ||= this.#isLate; // other code may set the timer again before it rings
    const now = this.#clock.monotonic();
    this.#monotonic = Math.max(at, now);
    this.#wall = this.#clock.now() + this.#monotonic - now;
  }

  /** Says, when the timer rings, whether the machine has slept since it was set. */
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
