import { baseLook } from './look.ts';

/** The content of an element from the moment it has all that it needs. */
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

/** The part of an element that is no matter of properties and attributes. */
export interface HostedElement {
  /** A property has another value. */
  changed(): void;
  /** The element has entered a document or left it. */
  follow(): void;
  /** Reads again what could not be read. */
  retry(): void;
}

/** The values of an element's properties, by their names. */
export type PropertyValues = Record<string, unknown>;

/** Attributes that are on or off; all others are texts. */
const SWITCHES = ['disabled'];

/**
 * Makes a class of custom elements with these properties, and with attributes that set further
 * ones. `hostOf` is called once for each element and does the rest.
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
 * Makes a class of custom elements that start again whenever one of their properties is set, once
 * for all that are set together. Each view is announced by the event `paystate-change`.
 *
 * @param starter called once for each element; what it keeps outlives a new start
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

/** Announces what an element shows; also where the element is in the shadow root of another. */
export function announce(element: HTMLElement, detail: unknown): void {
  const event = { detail, bubbles: true, composed: true };
  element.dispatchEvent(new CustomEvent('paystate-change', event));
}

/** Sets the style sheet of a shadow root, which the present document of its element has to make. */
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
   * Starts or stops soon. An element that is only moved goes on; another document takes its style
   * away.
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
    this.#root.replaceChildren(); // where it cannot begin, no code of before may be paid
    this.#shown = this.#start(this.#values, (detail) => announce(this.#element, detail));
    dress(this.#root, baseLook() + (this.#shown.look ?? ''));
    this.#root.replaceChildren(this.#shown.root);
  }
}

/** Defines an element, unless it is defined, and only where there are elements. */
export function defineOnce(name: string, classOf: () => CustomElementConstructor): void {
  if (typeof customElements === 'undefined' || customElements.get(name)) return;
  customElements.define(name, classOf());
}

/** Returns a page's locale. An invalid one, such as `en_US`, falls back to that of the texts. */
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
