import { LOOK } from './look.ts';

/** What an element shows from the moment it has what it needs. */
export interface Shown {
  readonly root: HTMLElement;
  stop(): void;
}

/**
 * A class of custom elements with these properties. Whenever one of them is set it starts anew, once
 * for all that are set together. Each view is announced by the event `paystate-change`.
 */
export function elementClass<P extends object, View>(
  names: readonly string[],
  start: (properties: P, changed: (view: View) => void) => Shown,
): CustomElementConstructor {
  class PaystateElement extends HTMLElement {
    readonly values: Record<string, unknown> = {};
    readonly #root: ShadowRoot = this.attachShadow({ mode: 'open' });
    #shown: Shown | undefined;
    #isPlanned: boolean = false;
    #isStale: boolean = true;

    constructor() {
      super();
      const look = new CSSStyleSheet();
      look.replaceSync(LOOK);
      this.#root.adoptedStyleSheets = [look];
      for (const name of names) this.#define(name);
    }

    connectedCallback(): void {
      this.#plan();
    }

    disconnectedCallback(): void {
      this.#plan();
    }

    /** What was set before the element was defined is kept. */
    #define(name: string): void {
      this.values[name] = (this as unknown as Record<string, unknown>)[name];
      Object.defineProperty(this, name, {
        get: () => this.values[name],
        set: (value: unknown) => {
          if (value === this.values[name]) return;
          this.values[name] = value;
          this.#isStale = true;
          this.#plan();
        },
      });
    }

    /** An element that is only moved goes on. */
    #plan(): void {
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      queueMicrotask(() => {
        this.#isPlanned = false;
        if (this.isConnected && this.#shown && !this.#isStale) return;
        this.#shown?.stop();
        this.#isStale = false;
        this.#shown = this.isConnected ? this.#start() : undefined;
      });
    }

    #start(): Shown {
      const shown = start(this.values as P, (detail) =>
        this.dispatchEvent(
          new CustomEvent('paystate-change', { detail, bubbles: true, composed: true }),
        ),
      );
      this.#root.replaceChildren(shown.root);
      return shown;
    }
  }
  return PaystateElement;
}
