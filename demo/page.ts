// The few words in which all parts of the demo speak to the document.

/** The element with this id, of the kind that the caller expects. */
export function byId<E extends Element>(id: string, kind: abstract new () => E): E {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} with the id ${id}`);
}

/** A new element with class and text. */
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

/** Live regions speak whenever they are written to, so they are written to only when the text differs. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Language in which this page writes numbers: that of its own text. */
export const locale: string = document.documentElement.lang;
