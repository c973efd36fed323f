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

/** The page this code runs in. Outside pages, it's always visible and never offline. */
export interface CurrentPage {
  isHidden(): boolean;
  isOffline(): boolean;
  /**
   * Calls `changed` with the type of each event that may show or hide the page or change its
   * network. Returns a function that ends it.
   */
  listen(changed: (type: string) => void): () => void;
}

/** Returns the page this code runs in. Doesn't read globals before it's called. */
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

/** How far the clocks may drift apart before it counts as a jump, in milliseconds. */
const CLOCK_JUMP_MS = 50;

/** A clock whose monotonic time includes the time the machine was asleep. */
interface AgingClock extends Clock {
  /** Converts a time on the machine's monotonic clock to one on this clock. */
  aged(at: number): number;
}

const AGING: Slot<AgingClock> = {
  name: 'state.clock',
  make: (client) => agingClock(client[internals].clock),
};

/**
 * Returns the clock of a client. Its monotonic time also advances with each forward jump of the
 * wall clock, because on most platforms the machine's monotonic clock stops while the machine
 * sleeps. Timers run on the machine's clock.
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
 * If a timer is later than this, the machine was asleep. Milliseconds. Hidden pages delay timers by
 * a minute.
 */
const SLEEP_MS = 300_000;

/**
 * Detects that the machine was asleep, because a timer fired much too late by one of the two
 * clocks. On most platforms the monotonic clock stops during sleep.
 */
export class SleepDetector {
  readonly #clock: Clock;
  /** What the two clocks will show when the next timer fires, if it isn't late. */
  #wall: number = Infinity;
  #monotonic: number = Infinity;
  /** A sleep was detected before the timer fired, and its callback still has to be told. */
  #isNoticed: boolean = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a timer was set for this monotonic time, which may be in the past. */
  expect(at: number): void {
    this.#isNoticed ||= this.#isLate; // other code may set the timer again before it fires
    const now = this.#clock.monotonic();
    this.#monotonic = Math.max(at, now);
    this.#wall = this.#clock.now() + this.#monotonic - now;
  }

  /** When the timer fires, returns whether the machine has slept since it was set. */
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
