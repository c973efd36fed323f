// A page with one element, and what a person sees of it.
import { expect } from 'chai';

/** Adds an element with these properties to the page. */
export function place<T extends HTMLElement>(name: string, properties: object = {}): T {
  const element = Object.assign(document.createElement(name), properties) as T;
  document.body.append(element);
  return element;
}

/** An element of the shadow root, by the name of its part. */
export function part<T extends Element = HTMLElement>(element: Element, name: string): T {
  const found = element.shadowRoot!.querySelector<T>(`[part~=${name}]`);
  if (!found) throw new Error(`no part ${name}`);
  return found;
}

/** The texts of these parts; nothing for a part that cannot be seen. */
export function texts(element: Element, ...names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const found = element.shadowRoot!.querySelector(`[part=${name}]`);
    return found && !found.closest('[hidden]') ? found.textContent.trim() : '';
  });
}

/** The names of the parts of a kind that can be seen. */
export function visible(element: Element, selector: string): readonly string[] {
  return [...element.shadowRoot!.querySelectorAll<HTMLElement>(selector)]
    .filter((one) => !one.closest('[hidden]'))
    .map((one) => one.getAttribute('part') ?? '');
}

/** Keeps what each listener of `paystate-change` hears. */
export function heardFrom<T>(element: Element): T[] {
  const details: T[] = [];
  element.addEventListener('paystate-change', (event) => {
    expect([event.bubbles, event.composed]).to.deep.equal([true, true]);
    details.push((event as CustomEvent<T>).detail);
  });
  return details;
}

/** Replaces a function of the page for the time of one call. */
export async function replacing<K extends string>(
  owner: object,
  name: K,
  other: unknown,
  use: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value: other, configurable: true, writable: true });
  try {
    await use();
  } finally {
    if (before) Object.defineProperty(owner, name, before);
    else delete (owner as Record<string, unknown>)[name];
  }
}

const SAID = ['lang', 'role', 'aria-label', 'aria-live', 'aria-hidden', 'dir', 'tabindex'];
const MORE = ['title', 'type', 'name', 'slot', 'readonly', 'aria-pressed', 'data-phase', 'viewBox'];

/** What can be seen of an element and of all in it: parts and slots, a line each. */
export function outline(element: Element, depth = 0): readonly string[] {
  if ((element as HTMLElement).hidden) return [];
  const { localName } = element;
  const attributes = [...SAID, ...MORE].flatMap((name) => {
    const value = element.getAttribute(name);
    return value === null ? [] : value === '' ? name : `${name}=${value}`;
  });
  const own = [...element.childNodes].filter((one) => one instanceof Text).map(String);
  const inner = [...element.children].filter((one) => one.localName !== 'bdi');
  const hasText = own.length > 0 || [...element.children].some((one) => one.localName === 'bdi');
  const text = hasText ? `: ${element.textContent}` : '';
  const name = element.getAttribute('part') ?? localName;
  const line = [`${'  '.repeat(depth)}${name}`, ...attributes].join(' ') + text;
  return [line, ...inner.flatMap((one) => outline(one, depth + 1))];
}

/** Lets what was begun in this page come to its end, without the time of a sandbox. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A time of the day on which sandboxes begin, as the elements write it. */
export const timeText = (hour: number, minute: number): string =>
  new Date(Date.UTC(2026, 0, 5, hour, minute)).toLocaleString('en', {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
