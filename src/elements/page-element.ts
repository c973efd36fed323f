/** What each element does beside showing. */
export interface ElementActions {
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
export type PageElement = typeof globalThis extends {
  HTMLElement: { prototype: infer E extends object };
}
  ? E
  : object;
