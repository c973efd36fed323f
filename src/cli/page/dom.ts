import { qrPath } from '../../elements/qr-path.ts';

export { fill, type Line } from '../../elements/dom.ts';

type Attributes = Readonly<Record<string, string>>;

/** Makes an element; texts stay texts, whatever they hold. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/**
 * A button; its name for those who hear it may say more than its text. One without a text is named
 * by what it gets.
 */
export function buttonOf(label: string, name: string, press: () => void): HTMLButtonElement {
  const button = make(
    'button',
    { type: 'button', ...(label && name !== label && { 'aria-label': name }) },
    label,
  );
  button.addEventListener('click', press);
  return button;
}

/** The element of the page with this id. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

/** Says something, without touching what says it already. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The QR code of a text, on white. */
export function qrOf(text: string, label: string): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const { size, path } = qrPath(text.toUpperCase());
  const picture = document.createElementNS(space, 'svg');
  const modules = document.createElementNS(space, 'path');
  picture.setAttribute('viewBox', `0 0 ${size} ${size}`);
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', label);
  modules.setAttribute('d', path);
  picture.append(modules);
  return picture;
}

/** An id as a row shows it; the whole is its title, and a press copies it. */
export function shortId(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id;
}

/** A path with each id as a row shows it. */
export function withShortIds(path: string): string {
  return path.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi, '$1…');
}

/** Time of day, UTC; with milliseconds in rows. */
export function clockText(at: number, digits: 0 | 3 = 3): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, digits === 3 ? 23 : 19) : '';
}

/** Date and time of day, UTC. */
export function timeText(at: number): string {
  return Number.isFinite(at)
    ? `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : '';
}

/** A duration in the units that people say. */
export function spanText(ms: number): string {
  const [days, hours, minutes] = [86_400_000, 3_600_000, 60_000].map((unit) => ms / unit);
  if (days! >= 1) return `${Math.round(days! * 10) / 10} d`;
  if (hours! >= 1) return `${Math.round(hours! * 10) / 10} h`;
  return minutes! >= 1 ? `${Math.round(minutes!)} min` : `${Math.round(ms / 1_000)} s`;
}

/** An amount with its digits in groups of three. */
export function moneyText(money: unknown): string {
  const { amount = '', currency = '' } = money as { amount?: string; currency?: string };
  const [whole = '', ...rest] = String(amount).split('.');
  return `${[whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.')} ${currency}`;
}
