/** Actions of each element in addition to showing. */
interface ElementActions {
  /**
   * Reads again at once what could not be read, as its button "Try again" does; see `retry` of a
   * watch.
   *
   * @example
   * const again = (element: { retry(): void }) => element.retry();
   */
  retry(): void;
}

/** `HTMLElement`; where the types of no page are loaded, as on servers, nothing is known of it. */
type PageElement = typeof globalThis extends {
  HTMLElement: { prototype: infer E extends object };
}
  ? E
  : object;

/** Listening to the events of an element: the name of an event says what its listener gets. */
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

/** An element of a page with these properties, which emits these events. */
export type TypedElement<Properties, Events> = ElementListening<Events> &
  PageElement &
  Properties &
  ElementActions;
