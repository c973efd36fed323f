import { draw, make, makePicture, mark } from './dom.ts';
import type { CheckoutTexts } from './texts.ts';

/** A checkout's HTML elements, by their part names in style sheets. */
export interface Parts {
  readonly card: HTMLElement;
  readonly ribbon: HTMLElement;
  readonly title: HTMLElement;
  readonly amount: HTMLButtonElement;
  readonly rate: HTMLElement;
  readonly sent: HTMLButtonElement;
  readonly price: HTMLElement;
  readonly timer: HTMLElement;
  readonly how: HTMLElement;
  readonly way: HTMLElement;
  readonly tabs: HTMLElement;
  readonly hint: HTMLElement;
  readonly pay: HTMLElement;
  readonly qr: SVGSVGElement;
  readonly line: HTMLElement;
  readonly short: HTMLElement;
  readonly copy: HTMLButtonElement;
  readonly code: HTMLInputElement;
  readonly wallet: HTMLAnchorElement;
  readonly webln: HTMLButtonElement;
  readonly end: HTMLElement;
  readonly glyph: SVGSVGElement;
  readonly headline: HTMLElement;
  readonly detail: HTMLElement;
  readonly details: HTMLElement;
  readonly problem: HTMLButtonElement;
  readonly more: HTMLSlotElement;
  readonly most: HTMLSlotElement;
  readonly receipt: HTMLElement;
  readonly back: HTMLAnchorElement;
  readonly fresh: HTMLButtonElement;
  readonly again: HTMLButtonElement;
  readonly print: HTMLButtonElement;
  readonly help: HTMLSlotElement;
  readonly note: HTMLElement;
}

type Tag = keyof HTMLElementTagNameMap;
type MakePart = (tag: Tag, name: string, ...children: (Element | string)[]) => Element;

const STATUS = { role: 'status' };
const BOLT = 'M11 2 4 11.5h5L8.5 18 16 8.5h-5z';
const BOLT_SIZE = 20;

/** Builds a checkout's HTML elements. Rendering only updates these elements. */
export function buildParts(texts: CheckoutTexts): Parts {
  const parts: Record<string, Element> = {};
  const part: MakePart = (tag, name, ...children) => (parts[name] = make(tag, name, ...children));
  const picture = (name: string): Element => (parts[name] = makePicture(name));
  const bolt = mark(makePicture('mark'), { 'aria-hidden': 'true' });
  draw(bolt, BOLT_SIZE, BOLT);
  const card = part(
    'section',
    'card',
    makeSummary(texts, part),
    part('div', 'how', part('p', 'way', bolt, texts.way), part('div', 'tabs'), part('p', 'hint')),
    makeCode(texts, part, picture('qr')),
    makeEnd(texts, part, picture('glyph')),
  );
  mark(card, { lang: texts.locale });
  return parts as unknown as Parts;
}

const slot = (name: string): Element => mark(document.createElement('slot'), { name });

function makeSummary(texts: CheckoutTexts, part: MakePart): Element {
  const copies = { title: texts.copy };
  return part(
    'div',
    'bill',
    slot('shop'),
    part('p', 'ribbon', texts.test),
    mark(part('h2', 'title'), { tabindex: '-1' }),
    mark(part('button', 'amount'), copies),
    part('p', 'rate', mark(part('button', 'sent'), copies), part('span', 'price')),
    mark(part('p', 'timer'), { role: 'timer' }),
    slot('summary'),
  );
}

function makeCode(texts: CheckoutTexts, part: MakePart, qr: Element): Element {
  const named = { 'aria-label': texts.code };
  return part(
    'div',
    'pay',
    mark(qr, { role: 'img', ...named }),
    part(
      'div',
      'line',
      mark(part('span', 'short'), { dir: 'ltr' }),
      mark(part('button', 'copy', texts.copy), { 'aria-live': 'polite' }),
    ),
    mark(part('input', 'code'), { dir: 'ltr', readonly: '', ...named }),
    part('a', 'wallet', texts.wallet),
    part('button', 'webln', texts.webln),
  );
}

/** Creates the status line, which becomes a panel when there's no code to pay. */
function makeEnd(texts: CheckoutTexts, part: MakePart, glyph: Element): Element {
  const most = part('slot', 'most') as HTMLSlotElement;
  return part(
    'div',
    'end',
    mark(glyph, { 'aria-hidden': 'true' }),
    mark(part('div', 'state', part('p', 'headline'), part('p', 'detail')), STATUS),
    part('details', 'details', make('summary', 'name', texts.details), part('button', 'problem')),
    // if there's no content for a late payment, the payment slot is shown
    part('slot', 'more', most),
    part('dl', 'receipt'),
    part(
      'div',
      'actions',
      part('a', 'back', texts.back),
      part('button', 'fresh', texts.fresh),
      part('button', 'again', texts.again),
      part('button', 'print', texts.print),
      mark(part('slot', 'help'), { name: 'help' }),
    ),
    mark(part('div', 'note'), STATUS),
  );
}
