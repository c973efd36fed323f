// Helpers for creating and updating HTML elements.

type Tags = HTMLElementTagNameMap;
type Child = Node | string;

/**
 * Creates an HTML element. `part` is its name in style sheets inside and outside the shadow root.
 */
export function make<K extends keyof Tags>(tag: K, part: string, ...children: Child[]): Tags[K] {
  const element = mark(document.createElement(tag), { part });
  element.append(...children);
  return element;
}

export function mark<E extends Element>(
  element: E,
  attributes: Readonly<Record<string, string>>,
): E {
  for (const name in attributes) element.setAttribute(name, attributes[name]!);
  return element;
}

/** Creates an SVG image with a single path, which is empty until `draw` is called. */
export function makePicture(part: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const picture = mark(document.createElementNS(space, 'svg'), { part });
  picture.append(document.createElementNS(space, 'path'));
  return picture;
}

export function draw(picture: SVGSVGElement, size: number, path: string): void {
  mark(picture, { viewBox: `0 0 ${size} ${size}` });
  mark(picture.firstElementChild!, { d: path });
}

/** Marks an amount or a time in a text, which `say` then renders as a separate element. */
export const figure = (text: string): string => `\u2068${text}\u2069`;

/**
 * Sets an element's text. Each `figure` becomes a `<bdi>` element, which keeps the number and its
 * unit together in any text direction. Unchanged text isn't set again, because screen readers
 * announce every change to a live region.
 */
export function say(element: Element, text: string): void {
  const runs = text.split(/[\u2068\u2069]/); // every part with an odd index is a figure
  if (element.textContent === runs.join('')) return;
  element.replaceChildren(
    ...runs.map((run, at) => (at % 2 === 1 ? make('bdi', 'figure', run) : run)),
  );
}

/** Copies text to the clipboard. Resolves to `false` if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // the browser refused, or the page isn't served over https
  }
}

/** A list item, which is only rebuilt if `mark` has changed. */
export interface Line {
  readonly key: string;
  readonly mark: string;
  make(): HTMLElement;
  /** Updates the existing element instead of replacing it, so a click on its button isn't lost. */
  renew?(old: HTMLElement): void;
}

/**
 * Updates a list to show the given lines. Unchanged items stay untouched, and the focus is kept.
 */
export function fill(list: HTMLElement, lines: readonly Line[]): void {
  const present = new Map(
    [...list.children].map((child) => [
      (child as HTMLElement).dataset['key'],
      child as HTMLElement,
    ]),
  );
  const wanted = lines.map((line) => {
    const old = present.get(line.key);
    if (old?.dataset['mark'] === line.mark) return old;
    if (!old || !line.renew) return replacement(line, old);
    line.renew(old);
    old.dataset['mark'] = line.mark;
    return old;
  });
  const kept = new Set(wanted);
  for (const child of [...list.children]) if (!kept.has(child as HTMLElement)) child.remove();
  for (const [index, element] of wanted.entries())
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
}

function replacement(
  { key, mark, make: makeLine }: Line,
  old: HTMLElement | undefined,
): HTMLElement {
  const fresh = makeLine();
  Object.assign(fresh.dataset, { key, mark });
  const details = fresh.querySelector('details');
  if (details) details.open = old?.querySelector('details')?.open ?? false;
  // Inside a shadow root, the document's active element is the host element.
  const { activeElement } = (old?.getRootNode() ?? document) as Document | ShadowRoot;
  const focused = old?.contains(activeElement) ? (activeElement as HTMLElement) : undefined;
  old?.replaceWith(fresh);
  if (focused) findSuccessor(focused, fresh).focus();
  return fresh;
}

/**
 * Returns the element to focus after a line was replaced: the button with the same text or
 * the line itself.
 */
function findSuccessor(focused: HTMLElement, fresh: HTMLElement): HTMLElement {
  const same = [...fresh.querySelectorAll('button')].find(
    ({ textContent }) => textContent === focused.textContent,
  );
  if (same) return same;
  fresh.tabIndex = -1;
  return fresh;
}
