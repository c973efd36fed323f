import { draw, makePicture, mark } from '../../elements/dom.ts';
import { qrPath } from '../../elements/qr-path.ts';
import { makeButton } from '../../devtools/detail.ts';
import type { Act } from './bench.ts';

export { fill, type Line, say } from '../../elements/dom.ts';

type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Strings become text nodes and are never parsed as HTML. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = mark(document.createElement(name), attributes);
  element.append(...children);
  return element;
}

export function copyButton(
  act: Act,
  label: string,
  name: string,
  text: () => string,
): HTMLButtonElement {
  return makeButton(label, name, () => {
    void act(name, () => navigator.clipboard.writeText(text()));
  });
}

export function markCurrent(element: Element, value: 'page' | 'true' | undefined): void {
  if (value) element.setAttribute('aria-current', value);
  else element.removeAttribute('aria-current');
}

export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

export function makeQr(text: string, label: string): SVGSVGElement {
  const { size, path } = qrPath(text.toUpperCase());
  const picture = mark(makePicture('code'), { role: 'img', 'aria-label': label });
  draw(picture, size, path);
  return picture;
}

/** Formats a time in UTC. */
export function timeText(at: number): string {
  return Number.isFinite(at)
    ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : '';
}

export function moneyText(money: unknown): string {
  const { amount = '', currency = '' } = money as { amount?: string; currency?: string };
  const [whole = '', ...rest] = String(amount).split('.');
  return `${[whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')} ${currency}`;
}
