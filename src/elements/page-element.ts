/** Methods that all elements have. */
interface ElementActions {
  /**
   * Immediately repeats a failed read, like the element's "Try again" button. See a watch's `retry`
   * method.
   *
   * @example
   * const again = (element: { retry(): void }) => element.retry();
   */
  retry(): void;
}

/** The `HTMLElement` type, or an empty type in projects without DOM types, such as servers. */
type PageElement = typeof globalThis extends {
  HTMLElement: { prototype: infer E extends object };
}
  ? E
  : object;

/** Methods for an element's event listeners, typed by event name. */
interface ElementListening<Events> {
  addEventListener<Name extends keyof Events>(
    type: Name,
    listener: (event: Events[Name]) => void,
    options?: boolean | ListeningOptions,
  ): void;
  removeEventListener<Name extends keyof Events>(
    type: Name,
    listener: (event: Events[Name]) => void,
    options?: boolean | ListeningOptions,
  ): void;
}

interface ListeningOptions {
  readonly capture?: boolean;
  readonly once?: boolean;
  readonly passive?: boolean;
  readonly signal?: AbortSignal;
}

/** An HTML element with the given properties and events. */
export type TypedElement<Properties, Events> = ElementListening<Events> &
  PageElement &
  Properties &
  ElementActions;
