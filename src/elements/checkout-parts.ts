import { make, makePicture, mark } from './dom.ts';
import type { CheckoutTexts } from './texts.ts';

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
  readonly again: HTMLButtonElement;
  readonly print: HTMLButtonElement;
}

type Tag = keyof HTMLElementTagNameMap;

const STATUS = { role: 'status' };

/** Builds a checkout once: showing a view only writes into its parts. */
export function buildParts(texts: CheckoutTexts): Parts {
  const parts: Record<string, Element> = {};
  const part = (tag: Tag, name: string, ...children: (Element | string)[]): Element =>
    (parts[name] = make(tag, name, ...children));
  const named = { 'aria-label': texts.code };
  parts['qr'] = mark(makePicture('qr'), { role: 'img', ...named });
  parts['glyph'] = mark(makePicture('glyph'), { 'aria-hidden': 'true' });
  const stack = [
    part('div', 'pay', part('div', 'tabs'), actionsOf(texts, part), parts['qr']),
    part('div', 'end', parts['glyph'], part('dl', 'receipt')),
  ] as const;
  stack[0].append(mark(part('input', 'code'), { dir: 'ltr', readonly: '', ...named }));
  for (const name of ['fresh', 'again', 'print'] as const)
    stack[1].append(part('button', name, texts[name]));
  const bill = part(
    'div',
    'bill',
    mark(part('h2', 'title', texts.order), { tabindex: '-1' }),
    part('p', 'amount'),
    part('p', 'rate'),
    mark(part('p', 'timer'), { role: 'timer' }),
    mark(part('div', 'state', part('p', 'headline'), part('p', 'detail')), STATUS),
  );
  const note = mark(part('div', 'note'), STATUS);
  part(
    'section',
    'card',
    part('p', 'ribbon', texts.test),
    bill,
    part('div', 'stack', ...stack),
    note,
  );
  mark(parts['card']!, { lang: texts.locale });
  return parts as unknown as Parts;
}

type MakePart = (tag: Tag, name: string, ...children: (Element | string)[]) => Element;

function actionsOf(texts: CheckoutTexts, part: MakePart): Element {
  return part(
    'div',
    'actions',
    part('a', 'wallet', texts.wallet),
    mark(part('button', 'copy', texts.copy), { 'aria-live': 'polite' }),
    part('button', 'webln', texts.webln),
  );
}
