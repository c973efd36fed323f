import { baseLook } from './look.ts';

/** A custom element's rendered content. */
export interface Shown {
  readonly root: HTMLElement;
  /** Additional style sheet, applied after the common one. */
  readonly look?: string;
  stop(): void;
  retry?(): void;
}

/** Starts rendering with the given properties, and calls `changed` with each view. */
type Start<P, View> = (properties: P, changed: (view: View) => void) => Shown;

/** A custom element's behavior, apart from property and attribute handling. */
export interface HostedElement {
  changed(): void;
  /** Called when the element is added to or removed from a document. */
  follow(): void;
  retry(): void;
}

export type PropertyValues = Record<string, unknown>;

/** Names of boolean attributes. All other attributes are strings. */
const SWITCHES = ['disabled'];

/**
 * Creates a custom element class with the given properties and attributes. `hostOf` is called once
 * for each element.
 */
export function hostedElement(
  names: readonly string[],
  attributes: Readonly<Record<string, string>>,
  hostOf: (element: HTMLElement, values: PropertyValues) => HostedElement,
): CustomElementConstructor {
  return class extends HTMLElement {
    static readonly observedAttributes = Object.keys(attributes);
    readonly #host: HostedElement;

    constructor() {
      super();
      const values: PropertyValues = {};
      for (const name of [...names, ...Object.values(attributes)])
        defineProperty(this, name, values, () => this.#host.changed());
      this.#host = hostOf(this, values);
    }

    attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
      const given = SWITCHES.includes(name) ? value !== null : (value ?? undefined);
      Object.assign(this, { [attributes[name]!]: given });
    }

    connectedCallback(): void {
      this.#host.follow();
    }

    disconnectedCallback(): void {
      this.#host.follow();
    }

    retry(): void {
      this.#host.retry();
    }
  };
}

/**
 * Defines a property on an element. A value that was set before the element was defined is kept.
 */
function defineProperty(
  element: HTMLElement,
  name: string,
  values: PropertyValues,
  changed: () => void,
): void {
  values[name] = Reflect.get(element, name) as unknown;
  Object.defineProperty(element, name, {
    get: () => values[name],
    set: (value: unknown) => {
      if (value === values[name]) return;
      values[name] = value;
      changed();
    },
  });
}

/**
 * Creates a custom element class whose elements restart when properties change. Properties that are
 * set together cause only one restart. A `paystate-change` event is dispatched each time the view
 * changes.
 *
 * @param starter called once per element. Its state is kept when the element restarts
 */
export function elementClass<P extends object, View>(
  names: readonly string[],
  starter: () => Start<P, View>,
  attributes: Readonly<Record<string, string>> = {},
): CustomElementConstructor {
  return hostedElement(
    names,
    attributes,
    (element, values) => new ElementHost(element, values, starter() as Start<object, unknown>),
  );
}

/**
 * Dispatches `paystate-change` with a view. The event crosses shadow boundaries, in case the
 * element is inside the shadow root of another element.
 */
export function announce(element: HTMLElement, detail: unknown): void {
  const event = { detail, bubbles: true, composed: true };
  element.dispatchEvent(new CustomEvent('paystate-change', event));
}

/** Sets a shadow root's style sheet, which is created by the root's current document. */
export function dress(root: ShadowRoot, text: string): void {
  const look = new root.ownerDocument.defaultView!.CSSStyleSheet();
  look.replaceSync(text);
  root.adoptedStyleSheets = [look];
}

class ElementHost implements HostedElement {
  readonly #element: HTMLElement;
  readonly #root: ShadowRoot;
  readonly #start: Start<object, unknown>;
  readonly #values: PropertyValues;
  #shown: Shown | undefined;
  #isStale: boolean = false;

  constructor(element: HTMLElement, values: PropertyValues, start: Start<object, unknown>) {
    this.#element = element;
    this.#values = values;
    this.#start = start;
    this.#root = element.attachShadow({ mode: 'open' });
  }

  changed(): void {
    this.#isStale = true;
    this.follow();
  }

  /**
   * Starts or stops the element in a microtask. An element that was moved within the document keeps
   * running. If it was moved to another document, it restarts, because it has lost its style sheet.
   */
  follow(): void {
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
    this.#root.replaceChildren(); // an old code must not remain visible if the start fails
    this.#shown = this.#start(this.#values, (detail) => announce(this.#element, detail));
    dress(this.#root, baseLook() + (this.#shown.look ?? ''));
    this.#root.replaceChildren(this.#shown.root);
  }
}

/**
 * Defines a custom element, unless it's already defined or the platform doesn't support custom
 * elements.
 */
export function defineOnce(name: string, classOf: () => CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;
  customElements.define(name, classOf());
}

/** Returns the given locale, or the texts' locale if it's absent or invalid. */
export function chooseLocale(
  locale: string | undefined,
  texts: { readonly locale: string },
): string {
  try {
    return `${new Intl.Locale(locale!)}`;
  } catch {
    return texts.locale;
  }
}
