import { baseLook } from './look.ts';

/** What an element shows from the moment it has what it needs. */
export interface Shown {
  readonly root: HTMLElement;
  /** Style sheet text that follows that of all elements. */
  readonly look?: string;
  stop(): void;
  /** Reads again what could not be read. */
  retry?(): void;
}

/** Shows what these properties ask for, and announces what it shows. */
type Start<P, View> = (properties: P, changed: (view: View) => void) => Shown;

/**
 * A class of custom elements with these properties, and with attributes that set further ones.
 * Whenever one of them is set it starts again, once for all that are set together. Each view is
 * announced by the event `paystate-change`.
 */
export function elementClass<P extends object, View>(
  names: readonly string[],
  start: Start<P, View>,
  attributes: Readonly<Record<string, string>> = {},
): CustomElementConstructor {
  const all = [...names, ...Object.values(attributes)];
  return class extends HTMLElement {
    static readonly observedAttributes = Object.keys(attributes);
    readonly #host = new ElementHost(this, all, start as Start<object, unknown>);

    attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
      Object.assign(this, { [attributes[name]!]: value ?? undefined });
    }

    connectedCallback(): void {
      this.#host.plan();
    }

    disconnectedCallback(): void {
      this.#host.plan();
    }

    retry(): void {
      this.#host.retry();
    }
  };
}

class ElementHost {
  readonly #element: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #start: Start<object, unknown>;
  readonly #values: Record<string, unknown> = {};
  #shown: Shown | undefined;
  #isStale: boolean = false;

  constructor(element: HTMLElement, names: readonly string[], start: Start<object, unknown>) {
    this.#element = element;
    this.#start = start;
    this.#root = element.attachShadow({ mode: 'open' });
    for (const name of names) this.#define(name);
  }

  /** What was set before the element was defined is kept. */
  #define(name: string): void {
    const values = this.#values;
    values[name] = (this.#element as unknown as Record<string, unknown>)[name];
    Object.defineProperty(this.#element, name, {
      get: () => values[name],
      set: (value: unknown) => {
        if (value === values[name]) return;
        values[name] = value;
        this.#isStale = true;
        this.plan();
      },
    });
  }

  /**
   * Starts or stops soon. An element that is only moved goes on; another document takes its style
   * away.
   */
  plan(): void {
    queueMicrotask(() => {
      const { isConnected } = this.#element;
      if (isConnected && this.#root.adoptedStyleSheets[0] && !this.#isStale) return;
      this.#shown?.stop();
      this.#shown = undefined;
      this.#isStale = !isConnected;
      if (isConnected) this.#begin();
    });
  }

  retry(): void {
    this.#shown?.retry?.();
  }

  #begin(): void {
    this.#root.replaceChildren(); // where it cannot begin, no code of before may be paid
    this.#shown = this.#start(this.#values, (detail) =>
      this.#element.dispatchEvent(
        new CustomEvent('paystate-change', { detail, bubbles: true, composed: true }),
      ),
    );
    const look = new this.#element.ownerDocument.defaultView!.CSSStyleSheet();
    look.replaceSync(baseLook() + (this.#shown.look ?? ''));
    this.#root.adoptedStyleSheets = [look];
    this.#root.replaceChildren(this.#shown.root);
  }
}
