import { draw, makePicture, mark } from '../../elements/dom.ts';
import { qrPath } from '../../elements/qr-path.ts';
import type { Act } from './bench.ts';

export { fill, type Line, mark, say } from '../../elements/dom.ts';

type Attributes = Readonly<Record<string, string>>;

/** Texts are never parsed as HTML. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = mark(document.createElement(name), attributes);
  element.append(...children);
  return element;
}

/**
 * The accessible name may be longer than the text. Without a text, only that name identifies the
 * button.
 */
export function makeButton(label: string, name: string, press: () => void): HTMLButtonElement {
  const button = make(
    'button',
    { type: 'button', ...(label && name !== label && { 'aria-label': name }) },
    label,
  );
  button.addEventListener('click', press);
  return button;
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

/** Shortens an id for a row. The whole id is its title, and a press copies it. */
export function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}

export function withShortIds(path: string): string {
  return path.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '$1…');
}

/** Formats the time of day in UTC, with milliseconds in rows. */
export function clockText(at: number, digits: 0 | 3 = 3): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, digits === 3 ? 23 : 19) : '';
}

/** UTC. */
export function timeText(at: number): string {
  return Number.isFinite(at)
    ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : '';
}

export function spanText(ms: number): string {
  if (ms >= 86_400_000) return `${Math.round(ms / 8_640_000) / 10} d`;
  if (ms >= 3_600_000) return `${Math.round(ms / 360_000) / 10} h`;
  return ms >= 60_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 1_000)} s`;
}

export function moneyText(money: unknown): string {
  const { amount = '', currency = '' } = money as { amount?: string; currency?: string };
  const [whole = '', ...rest] = String(amount).split('.');
  return `${[whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')} ${currency}`;
}
