import { make, makePicture, mark } from './dom.ts';
import type { ElementTexts } from './texts.ts';

/** What the buttons of a checkout do. */
export interface Acts {
  copy(): void;
  webln(): void;
  fresh(): void;
}

/** The parts of a checkout, by their names for style sheets. */
export interface Parts {
  readonly card: HTMLElement;
  readonly ribbon: HTMLElement;
  readonly title: HTMLElement;
  readonly amount: HTMLElement;
  readonly rate: HTMLElement;
  readonly timer: HTMLElement;
  readonly headline: HTMLElement;
  readonly detail: HTMLElement;
  readonly note: HTMLElement;
  readonly pay: HTMLElement;
  readonly tabs: HTMLElement;
  readonly wallet: HTMLAnchorElement;
  readonly copy: HTMLButtonElement;
  readonly webln: HTMLButtonElement;
  readonly qr: SVGSVGElement;
  readonly code: HTMLInputElement;
  readonly glyph: SVGSVGElement;
  readonly receipt: HTMLElement;
  readonly fresh: HTMLButtonElement;
  readonly print: HTMLButtonElement;
}

const STATUS = { role: 'status' };

/** Builds a checkout once: showing a view only writes into its parts. */
export function buildParts(texts: ElementTexts, acts: Acts): Parts {
  const parts: Record<string, Element> = {};
  const add = <E extends Element>(element: E): E =>
    (parts[element.getAttribute('part')!] = element) as E;
  const part = (tag: keyof HTMLElementTagNameMap, name: string, ...children: (Node | string)[]) =>
    add(make(tag, name, ...children));
  const button = (name: 'copy' | 'webln' | 'fresh' | 'print', act: () => void): HTMLElement => {
    const element = part('button', name, texts[name]);
    element.onclick = act;
    return element;
  };
  const named = { 'aria-label': texts.code };
  const actions = part(
    'div',
    'actions',
    part('a', 'wallet', texts.wallet),
    mark(button('copy', acts.copy), { 'aria-live': 'polite' }),
    button('webln', acts.webln),
  );
  const pay = part(
    'div',
    'pay',
    part('div', 'tabs'),
    actions,
    mark(add(makePicture('qr')), { role: 'img', ...named }),
    mark(part('input', 'code'), { dir: 'ltr', readonly: '', ...named }),
  );
  const end = part(
    'div',
    'end',
    mark(add(makePicture('glyph')), { 'aria-hidden': 'true' }),
    part('dl', 'receipt'),
    button('fresh', acts.fresh),
    button('print', () => globalThis.print()),
  );
  const bill = part(
    'div',
    'bill',
    mark(part('h2', 'title', texts.order), { tabindex: '-1' }),
    part('p', 'amount'),
    part('p', 'rate'),
    part('p', 'timer'),
    mark(part('div', 'state', part('p', 'headline'), part('p', 'detail')), STATUS),
  );
  const stack = part('div', 'stack', pay, end);
  const note = mark(part('div', 'note'), STATUS);
  mark(part('section', 'card', part('p', 'ribbon', texts.test), bill, stack, note), {
    lang: texts.locale,
  });
  return parts as unknown as Parts;
}
