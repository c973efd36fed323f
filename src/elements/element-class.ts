import { baseLook } from './look.ts';

/** Content of an element once its properties are complete. */
export interface Shown {
  readonly root: HTMLElement;
  /** Style sheet text that follows that of all elements. */
  readonly look?: string;
  stop(): void;
  retry?(): void;
}

/** Starts with these properties, and calls `changed` with each view. */
type Start<P, View> = (properties: P, changed: (view: View) => void) => Shown;

/** The behaviour of an element apart from its properties and attributes. */
export interface HostedElement {
  changed(): void;
  /** Called when the element has entered or left a document. */
  follow(): void;
  retry(): void;
}

export type PropertyValues = Record<string, unknown>;

/** Boolean attributes. All others are strings. */
const SWITCHES = ['disabled'];

/**
 * Creates a class of custom elements with these properties and attributes. `hostOf` is called once
 * per element.
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

/** Defines a property, and keeps a value that was set before the element was defined. */
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
 * Creates a class of custom elements that restart when properties are set, once for all that are
 * set together. The event `paystate-change` announces each change of what they show.
 *
 * @param starter called once for each element. Its state outlives a new start
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

/** Announces a view, even from an element inside the shadow root of another. */
export function announce(element: HTMLElement, detail: unknown): void {
  const event = { detail, bubbles: true, composed: true };
  element.dispatchEvent(new CustomEvent('paystate-change', event));
}

/** Sets the style sheet of a shadow root. Uses its current document to create it. */
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
   * Starts or stops soon. An element that was moved continues, except in another document, which
   * drops its style.
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
    this.#root.replaceChildren(); // if it can't start, an old code must not be paid
    this.#shown = this.#start(this.#values, (detail) => announce(this.#element, detail));
    dress(this.#root, baseLook() + (this.#shown.look ?? ''));
    this.#root.replaceChildren(this.#shown.root);
  }
}

/** Defines an element once, if the platform has custom elements. */
export function defineOnce(name: string, classOf: () => CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;
  customElements.define(name, classOf());
}

/** Returns the page's locale, or that of the texts if it's invalid, such as `en_US`. */
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
