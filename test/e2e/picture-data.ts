// A picture as data: the boxes, texts and colours of everything that is visible, drawn with a font that comes with the tests.
// Whole pixels and eight-bit colours, so that they are the same on every machine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { root } from '../house/source.ts';

/** What one state looks like. */
export interface Picture {
  /** Each visible part: name, left, top, width, height, and its own text. */
  readonly boxes: readonly string[];
  /** The parts that have these colours, borders and type. */
  readonly looks: Readonly<Record<string, string>>;
}

const FONT = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2';
const font = readFileSync(join(root, FONT)).toString('base64');

/** Makes a page draw every text with the font of the tests, elements with a shadow root too. */
export async function useTestFont(page: Page): Promise<void> {
  await page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const face = new FontFace('Test font', bytes, { weight: '100 900' });
    document.fonts.add(await face.load());
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '*,*::before,*::after{font-family:"Test font"!important;font-variant-numeric:tabular-nums!important}',
    );
    const use = (place: Document | ShadowRoot): void => {
      place.adoptedStyleSheets = [...place.adoptedStyleSheets, sheet];
    };
    use(document);
    for (const { shadowRoot } of document.querySelectorAll('*')) if (shadowRoot) use(shadowRoot);
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (init) {
      const shadow = attach.call(this, init);
      setTimeout(() => use(shadow)); // after the element has its own sheets
      return shadow;
    };
  }, font);
}

/** Measures what the page shows now. Digits are `0` where `isMoving`, for times and durations. */
export const measure = (page: Page, isMoving = false): Promise<Picture> =>
  page.evaluate(measureInPage, isMoving);

/** Runs in the page, so it uses nothing from outside. */
function measureInPage(isMoving: boolean): Picture {
  const boxes: string[] = [];
  const looks = new Map<string, string[]>();
  const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const known = new Map<string, string>();

  const hexOf = (colour: string): string => {
    const before = known.get(colour);
    if (before !== undefined) return before;
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const parts = [...brush.getImageData(0, 0, 1, 1).data];
    const text = parts.map((part) => part.toString(16).padStart(2, '0')).join('');
    const hex = parts[3] === 255 ? text.slice(0, 6) : parts[3] === 0 ? '' : text;
    known.set(colour, hex);
    return hex;
  };
  const nameOf = (element: Element): string =>
    element.getAttribute('part') ||
    element.id ||
    [element.localName, element.classList[0]].filter(Boolean).join('.');
  const ownText = (element: Element): string =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent)
      .join(' ')
      .replace(/\s+/g, ' ')
      .trim();
  const borderOf = (style: CSSStyleDeclaration): string => {
    const sides = ['top', 'right', 'bottom', 'left'].map((side) => {
      const width = parseFloat(style.getPropertyValue(`border-${side}-width`));
      const colour = hexOf(style.getPropertyValue(`border-${side}-color`));
      return width > 0 && colour ? `${width} ${colour}` : '';
    });
    const isSame = new Set(sides).size === 1;
    return (isSame ? sides[0]! : sides.map((side) => side || '-').join(',')).trim();
  };
  const lookOf = (element: Element, pseudo?: '::before' | '::after'): string => {
    const style = getComputedStyle(element, pseudo);
    if (pseudo && (style.content === 'none' || style.content === 'normal')) return '';
    const ground = hexOf(style.backgroundColor);
    const border = borderOf(style);
    const isDrawn = element instanceof SVGElement && element.localName === 'path';
    return [
      `ink ${hexOf(style.color)}`,
      ground && `on ${ground}`,
      border && `border ${border}`,
      style.borderTopLeftRadius !== '0px' && `round ${style.borderTopLeftRadius}`,
      `type ${parseFloat(style.fontSize)}/${style.fontWeight}`,
      isDrawn && `fill ${hexOf(style.fill)} stroke ${hexOf(style.stroke)}`,
      pseudo && `${style.width} × ${style.height}`,
      style.opacity !== '1' && `opacity ${style.opacity}`,
    ]
      .filter(Boolean)
      .join(', ');
  };
  const add = (look: string, name: string): void => {
    const names = looks.get(look) ?? [];
    if (!names.includes(name)) names.push(name);
    looks.set(look, names);
  };
  const show = (element: Element): void => {
    const { left, top, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const isField = element instanceof HTMLInputElement || element instanceof HTMLSelectElement;
    const text = isField ? element.value : ownText(element);
    const style = getComputedStyle(element);
    const isSeen =
      text !== '' || isField || hexOf(style.backgroundColor) !== '' || borderOf(style) !== '';
    const pseudos = (['::before', '::after'] as const).filter((one) => lookOf(element, one));
    if (!isSeen && pseudos.length === 0 && !(element instanceof SVGElement)) return;
    const name = nameOf(element);
    const box = [left + scrollX, top + scrollY, width, height].map(Math.round).join(' ');
    const shown = isMoving ? text.replaceAll(/\d+/g, '0') : text; // of a field, too
    boxes.push(`${name} ${box}${shown && ` “${shown.slice(0, 60)}”`}`);
    add(lookOf(element), name);
    for (const pseudo of pseudos) add(lookOf(element, pseudo), name + pseudo);
  };
  const visit = (element: Element): void => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return;
    show(element);
    for (const child of (element.shadowRoot ?? element).children) visit(child);
  };
  /** Numbers that move are zeros, before anything is measured: digits differ in width. */
  const still = (place: Element | ShadowRoot): void => {
    for (const node of place.childNodes)
      if (node instanceof Text) node.data = node.data.replaceAll(/\d+/g, '0');
      else if (node instanceof Element) still(node.shadowRoot ?? node);
  };
  if (isMoving) still(document.body);
  visit(document.body);
  const named = [...looks].map(([look, names]) => [look, names.join(' ')] as const);
  return { boxes, looks: Object.fromEntries(named) };
}

/** The differences of two pictures, as lines of a person. */
export function differences(was: Picture, is: Picture): readonly string[] {
  const lines: string[] = [];
  const compare = (before: readonly string[], after: readonly string[]): void => {
    for (const line of before) if (!after.includes(line)) lines.push(`- ${line}`);
    for (const line of after) if (!before.includes(line)) lines.push(`+ ${line}`);
  };
  compare(was.boxes, is.boxes);
  const flat = ({ looks }: Picture): string[] =>
    Object.entries(looks).map(([look, names]) => `${names}: ${look}`);
  compare(flat(was), flat(is));
  if (lines.length === 0 && JSON.stringify(was) !== JSON.stringify(is)) lines.push('another order');
  return lines;
}
