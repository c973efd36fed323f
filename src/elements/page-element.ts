/** What each element can do besides rendering. */
interface ElementActions {
  /**
   * Repeats a failed read right away, like its button "Try again". See `retry` of a watch.
   *
   * @example
   * const again = (element: { retry(): void }) => element.retry();
   */
  retry(): void;
}

/** `HTMLElement`, or an empty type without DOM types, as on servers. */
type PageElement = typeof globalThis extends {
  HTMLElement: { prototype: infer E extends object };
}
  ? E
  : object;

/** Event listeners of an element, typed by the name of the event. */
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

/** An element on a page with these properties and events. */
export type TypedElement<Properties, Events> = ElementListening<Events> &
  PageElement &
  Properties &
  ElementActions;
