import type { Connection } from '../core/http/index.ts';
import { isBrowser } from '../core/platform.ts';
import { Alarm, type Clock, systemClock } from '../core/time.ts';
import { type Unsubscribe, type Watch, watchClock } from '../core/watch.ts';
import type { Invoice, InvoiceId } from '../resources/invoices.ts';
import { type KnownSnapshot, type Snapshot, watchInvoice } from '../state/index.ts';

// React discards the state of a component that suspends before it's mounted, and doesn't report if
// it never mounts the component. Therefore, suspended components keep their watches here, by client
// and id. A watch ends automatically if no component mounts.

/** How long a watch continues after the last render of an unmounted component. */
const HELD_MS = 5_000;

/**
 * How long the same error is thrown again. If a component throws, React immediately renders it a
 * second time and must get the same error. A later render, for example after a "Try again" button,
 * starts a new watch.
 */
const ERROR_MS = 1_000;

type HeldById = Map<InvoiceId, HeldWatch<Invoice>>;

const heldBy: WeakMap<Connection, HeldById> = /* @__PURE__ */ new WeakMap();

/** Returns the watch shared by suspended components with the same client and id. */
export function heldInvoice(client: Connection, id: InvoiceId): HeldWatch<Invoice> {
  const held: HeldById = heldBy.get(client) ?? new Map();
  heldBy.set(client, held);
  const found = held.get(id);
  if (found && !found.isOver) return found;
  const made = new HeldWatch(watchInvoice(client, id));
  for (const [other, { isOver }] of held) if (isOver) held.delete(other);
  held.set(id, made);
  return made;
}

interface Failure {
  readonly error: unknown;
  isThrown: boolean;
}

/** A watch that continues while its component is suspended, and ends if no component mounts. */
class HeldWatch<T extends object> {
  readonly retry: () => void;
  readonly refresh: () => Promise<Snapshot<T>>;
  readonly #watch: Watch<Snapshot<T>>;
  readonly #clock: Clock;
  readonly #alarm: Alarm;
  #release: Unsubscribe | undefined = undefined;
  /** The promise that the suspended component is waiting for. */
  #pending: { readonly promise: Promise<void>; resolve(): void } | undefined = undefined;
  #failure: Failure | undefined = undefined;
  /** The snapshot for rendering on a server, where the watch ends after the first value. */
  #rendered: KnownSnapshot<T> | undefined = undefined;
  /**
   * Latest time when other components may use this object, in milliseconds on the monotonic clock.
   */
  #until: number;

  constructor(watch: Watch<Snapshot<T>>) {
    this.#watch = watch;
    this.retry = watch.retry;
    this.refresh = watch.refresh;
    this.#clock = watch[watchClock] ?? systemClock;
    this.#alarm = new Alarm(this.#clock, () => this.#ring());
    this.#until = this.#after(HELD_MS);
  }

  /** Whether this object has expired, in which case the next component must create a new one. */
  get isOver(): boolean {
    return !this.#release && this.#clock.monotonic() >= this.#until;
  }

  /** Throws a promise if there's no value yet, or the error that ended the watch. */
  suspend(): void {
    if (!this.#isKnown() && !this.#failure) this.#hold();
    if (this.#failure) throw this.#thrown(this.#failure);
    // Throw the promise, which React supports since version 18. The `use` hook requires React 19.
    if (!this.#isKnown()) {
      this.#pending ??= pending();
      throw this.#pending.promise;
    }
  }

  /** Returns the current snapshot, which has a value once `suspend` has returned. */
  readonly current = (): KnownSnapshot<T> =>
    this.#rendered ?? (this.#watch.current() as KnownSnapshot<T>);

  readonly subscribe = (listen: () => void): (() => void) => {
    this.#rendered = undefined;
    const stop = this.#watch.subscribe({
      next: () => {
        this.#failure = undefined;
        listen();
      },
      error: (error) => {
        this.#fail(error);
        listen();
      },
    });
    this.#end();
    return stop;
  };

  #thrown(failure: Failure): unknown {
    if (!failure.isThrown) this.#until = this.#after(ERROR_MS);
    failure.isThrown = true;
    return failure.error;
  }

  #isKnown(): boolean {
    return this.current().value !== undefined;
  }

  #after(ms: number): number {
    return this.#clock.monotonic() + ms;
  }

  #hold(): void {
    this.#alarm.set(this.#after(HELD_MS));
    this.#release ??= this.#watch.subscribe({
      next: (snapshot) => {
        if (snapshot.asOf !== undefined) this.#show(snapshot);
      },
      error: (error) => this.#fail(error),
    });
    if (this.#failure || this.#rendered) this.#end();
  }

  #show(snapshot: KnownSnapshot<T>): void {
    this.#alarm.set(this.#after(HELD_MS));
    if (!isBrowser()) {
      this.#rendered = snapshot;
      this.#until = this.#after(HELD_MS);
      this.#end();
    }
    this.#wake();
  }

  #fail(error: unknown): void {
    this.#failure = { error, isThrown: false };
    this.#until = this.#after(HELD_MS);
    this.#end();
    this.#wake();
  }

  #ring(): void {
    if (!this.#pending) return this.#end();
    // If React still needs the component, it renders it again, which extends the time.
    this.#alarm.set(this.#after(HELD_MS));
    this.#wake();
  }

  #wake(): void {
    this.#pending?.resolve();
    this.#pending = undefined;
  }

  #end(): void {
    this.#alarm.stop();
    this.#release?.();
    this.#release = undefined;
  }
}

function pending(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => void (resolve = settle));
  return { promise, resolve };
}
