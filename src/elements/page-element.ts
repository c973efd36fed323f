/** `HTMLElement`; where the types of no page are loaded, as on servers, nothing is known of it. */
export type PageElement = typeof globalThis extends {
  HTMLElement: { prototype: infer E extends object };
}
  ? E
  : object;
