// Helpers for the document that all parts of the demo share.

/** Returns the element with this id, if it's of the expected kind. */
export function byId<E extends Element>(id: string, kind: abstract new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} with the id ${id}`);
}

/** Makes an element with a class and a text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  text: string = '',
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Writes to a live region only if the text differs, because screen readers read out every write.
 */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The page writes numbers in the language of its text. */
export const locale: string = document.documentElement.lang;
