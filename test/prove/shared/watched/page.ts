// Lends the part of a page that a watch reads, during a run: it can be hidden, focused and without network.
import { setMaxListeners } from 'node:events';
import type { Clock } from 'paystate';
import type { Span } from './device.ts';

/** Puts a property on the global object; returns what puts the old one back. */
function lend(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { configurable: true, value });
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  };
}

type Listening = Parameters<EventTarget['addEventListener']>;

export class LentPage {
  readonly #clock: Clock;
  readonly #bus = new EventTarget();
  readonly #hidden: Span[] = [];
  readonly #undo: readonly (() => void)[];
  #listeners = 0;
  #isOnline = true;

  constructor(clock: Clock) {
    this.#clock = clock;
    setMaxListeners(0, this.#bus); // pages have no such limit
    const add = (...given: Listening): void => {
      this.#listeners++;
      this.#bus.addEventListener(...given);
    };
    const remove = (...given: Listening): void => {
      this.#listeners--;
      this.#bus.removeEventListener(...given);
    };
    const page = { addEventListener: add, removeEventListener: remove };
    const visibilityState = { get: () => (this.#isHidden() ? 'hidden' : 'visible') };
    const onLine = { get: () => this.#isOnline };
    this.#undo = [
      lend('document', Object.defineProperties(page, { visibilityState })),
      lend('navigator', Object.defineProperties({}, { onLine })),
      lend('addEventListener', add),
      lend('removeEventListener', remove),
    ];
  }

  #isHidden(): boolean {
    return this.#hidden.at(-1)?.to === Infinity;
  }

  #fire(type: string): void {
    this.#bus.dispatchEvent(new Event(type));
  }

  /** Spans in which nobody could see it. */
  get hidden(): readonly Span[] {
    return this.#hidden;
  }

  listeners(): number {
    return this.#listeners;
  }

  hide(): void {
    if (this.#isHidden()) return;
    this.#hidden.push({ from: this.#clock.now(), to: Infinity });
    this.#fire('visibilitychange');
  }

  show(): void {
    if (!this.#isHidden()) return;
    this.#hidden.at(-1)!.to = this.#clock.now();
    this.#fire('visibilitychange');
  }

  focus(): void {
    this.#fire('focus');
  }

  network(isOn: boolean): void {
    this.#isOnline = isOn;
    this.#fire(isOn ? 'online' : 'offline');
  }

  takeAway(): void {
    for (const back of this.#undo) back();
  }
}
