/** One line of a list: made anew only where its mark has changed. */
export interface Line {
  readonly key: string;
  readonly mark: string;
  make(): HTMLElement;
  /** Brings the old line to this mark, so that a press on its button is not lost. */
  renew?(old: HTMLElement): void;
}

/**
 * Brings a list to these lines; what has not changed is not touched, and the focus stays where it
 * was.
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
  // in a shadow root, the document knows only of its host
  const { activeElement } = (old?.getRootNode() ?? document) as Document | ShadowRoot;
  const focused = old?.contains(activeElement) ? (activeElement as HTMLElement) : undefined;
  old?.replaceWith(fresh);
  if (focused) successorOf(focused, fresh).focus();
  return fresh;
}

/** The same button, else the line itself. */
function successorOf(focused: HTMLElement, fresh: HTMLElement): HTMLElement {
  const same = [...fresh.querySelectorAll('button')].find(
    ({ textContent }) => textContent === focused.textContent,
  );
  if (same) return same;
  fresh.tabIndex = -1;
  return fresh;
}
