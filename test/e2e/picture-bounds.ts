// What no picture may show, whatever was kept before: broken words, cut lines, overflows, faint texts, small targets, empty
// halves and cards in cards. A picture within these bounds can still be ugly; one outside of them is never right.
import type { Page } from 'puppeteer-core';

/** All that the page shows now outside of the bounds, in words. */
export async function outOfBounds(page: Page): Promise<readonly string[]> {
  const found = [await page.evaluate(textFaults), await page.evaluate(boxFaults)].flat();
  return [...new Set(found)];
}

/** Faults of texts. Runs in the page, so it uses nothing from outside. */
function textFaults(): string[] {
  /** A longer word, such as an id, may break, but each of its lines has this many letters. */
  const LONG_WORD = 24;
  const LEAST_LETTERS = 8;
  const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;
  const faults: string[] = [];

  /** Draws the colours over each other, and returns what is seen. */
  const mix = (colours: readonly string[]): readonly number[] => {
    brush.fillStyle = matchMedia('(prefers-color-scheme:dark)').matches ? '#000' : '#fff';
    brush.fillRect(0, 0, 1, 1);
    for (const colour of colours) {
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
    }
    return [...brush.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colours: readonly string[]): number => {
    const [red, green, blue] = mix(colours).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  };
  /** The element around, across shadow roots and slots. */
  const around = (element: Element): Element | null =>
    element.assignedSlot ??
    element.parentElement ??
    (element.getRootNode() as Partial<ShadowRoot>).host ??
    null;
  const chain = (element: Element): Element[] => {
    const all = [element];
    for (let next = around(element); next; next = around(next)) all.push(next);
    return all;
  };
  const contrast = (element: Element): number => {
    const grounds = chain(element).map((one) => getComputedStyle(one).backgroundColor);
    grounds.reverse();
    const ink = luminance([...grounds, getComputedStyle(element).color]);
    const ground = luminance(grounds);
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  };
  /** The letters of each line over which a part of a text runs. */
  const linesIn = (node: Text, from: number, to: number): number[] => {
    const range = document.createRange();
    const lines: number[] = [];
    let bottom = -Infinity;
    for (let at = from; at < to; at++) {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const box = range.getClientRects()[0];
      if (!box || box.width === 0) continue;
      if (box.top >= bottom - 1) lines.push(0);
      bottom = Math.max(bottom, box.bottom);
      lines[lines.length - 1]!++;
    }
    return lines;
  };
  const widthIn = (node: Text, from: number, to: number): number => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].reduce((sum, { width }) => sum + width, 0);
  };
  const paneOf = (element: Element): number =>
    chain(element).find((one) => one.clientWidth > 0)?.clientWidth ?? innerWidth;
  /** A break after a hyphen is no fault, if the word would have had room in a line of its own. */
  const isBroken = (node: Text, from: number, word: string, element: Element): boolean => {
    const lines = linesIn(node, from, from + word.length);
    if (lines.length < 2) return false;
    if (word.length >= LONG_WORD)
      return lines.slice(0, -1).some((letters) => letters < LEAST_LETTERS);
    let at = from;
    for (const part of word.split(/(?<=[-/–])/)) {
      if (linesIn(node, at, (at += part.length)).length > 1) return true;
    }
    return widthIn(node, from, from + word.length) > paneOf(element);
  };
  /** An element that says by itself what it cuts. */
  const isShort = (element: Element): boolean =>
    getComputedStyle(element).textOverflow === 'ellipsis';
  const isCut = (box: DOMRect, element: Element): boolean =>
    chain(element).some((one) => {
      const { overflowX, overflowY } = getComputedStyle(one);
      const edge = one.getBoundingClientRect();
      const isHidden = (overflow: string): boolean => /hidden|clip/.test(overflow);
      if (one === document.body || one === document.documentElement) return false;
      const isWide = box.left < edge.left - 1 || box.right > edge.right + 1;
      const isHigh = box.top < edge.top - 1 || box.bottom > edge.bottom + 1;
      return (isHidden(overflowX) && isWide && !isShort(one)) || (isHidden(overflowY) && isHigh);
    });
  const examine = (node: Text, element: Element): void => {
    const told = `“${node.data.replace(/\s+/g, ' ').trim().slice(0, 40)}”`;
    for (const { 0: word, index } of node.data.matchAll(/\S+/g))
      if (isBroken(node, index, word, element)) faults.push(`a word is broken: ${word} in ${told}`);
    const lines = linesIn(node, 0, node.data.trimEnd().length);
    const isAlone = element.children.length === 0 && paneOf(element) === element.clientWidth;
    if (isAlone && lines.length > 1 && lines.includes(1))
      faults.push(`a line of one letter: ${told}`);
    const range = document.createRange();
    range.selectNodeContents(node);
    if (isCut(range.getBoundingClientRect(), element)) faults.push(`a line is cut: ${told}`);
    const { fontSize, fontWeight } = getComputedStyle(element);
    const size = parseFloat(fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700) ? 3 : 4.5;
    const has = contrast(element);
    if (has < needed && !element.closest(':disabled,[aria-disabled=true]'))
      faults.push(`a contrast of ${has.toFixed(2)}: ${told}`);
  };
  const visit = (element: Element): void => {
    const seen = { visibilityProperty: true, opacityProperty: true };
    if (!element.checkVisibility(seen)) return;
    const { width, height } = element.getBoundingClientRect();
    if (width === 1 && height === 1) return; // for screen readers alone
    for (const child of (element.shadowRoot ?? element).childNodes)
      if (child instanceof Element) visit(child);
      else if (child instanceof Text && child.data.trim()) examine(child, element);
  };
  visit(document.body);
  return faults;
}

/** Faults of boxes. Runs in the page, so it uses nothing from outside. */
function boxFaults(): string[] {
  /** Controls are at least this high and wide, unless they stand in a sentence. */
  const TARGET = 24;
  /** What has less is no card. */
  const CARD = { width: 200, height: 100 };
  /** Only a card of this size has a half that can be empty. */
  const BIG = { width: 400, height: 160 };
  const faults: string[] = [];
  const controls = 'button,a[href],input,select,textarea,summary';

  const nameOf = (element: Element): string =>
    element.getAttribute('part') ||
    element.id ||
    [element.localName, element.classList[0]].filter(Boolean).join('.');
  const isCard = (element: Element): boolean => {
    const style = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const sides = ['top', 'right', 'bottom', 'left'];
    return (
      element instanceof HTMLElement &&
      !element.matches(`${controls},label,pre,iframe`) &&
      sides.every((side) => parseFloat(style.getPropertyValue(`border-${side}-width`)) > 0) &&
      width >= CARD.width &&
      height >= CARD.height
    );
  };
  /** The boxes of all texts, pictures and fields in an element. */
  const contentIn = (element: Element): DOMRect[] =>
    [...(element.shadowRoot ?? element).childNodes].flatMap((child) => {
      if (child instanceof Text) {
        const range = document.createRange();
        range.selectNodeContents(child);
        return child.data.trim() ? [...range.getClientRects()] : [];
      }
      if (!(child instanceof Element) || !child.checkVisibility()) return [];
      const { backgroundColor } = getComputedStyle(child);
      const isBlock = child.childNodes.length === 0 && !/, 0\)$/.test(backgroundColor); // of a skeleton
      const isWhole = isBlock || child.matches(`${controls},svg,img,canvas,iframe`);
      return isWhole ? [child.getBoundingClientRect()] : contentIn(child);
    });
  const hasEmptyHalf = (element: Element): boolean => {
    const { left, top, width, height } = element.getBoundingClientRect();
    if (width < BIG.width || height < BIG.height) return false;
    const content = contentIn(element);
    return [left, left + width / 2].some((from) => {
      const inside = content.filter(
        (box) => box.right > from + 4 && box.left < from + width / 2 - 4,
      );
      const last = Math.max(top, ...inside.map(({ bottom }) => bottom));
      return last - top < height / 2;
    });
  };
  const examine = (element: Element, card: string): void => {
    const { width, height, left, right } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const name = nameOf(element);
    const isInline = style.display === 'inline';
    const sentence = element.parentElement?.matches('p,dd') && element.parentElement.textContent;
    const isInSentence = sentence && sentence !== element.textContent;
    if (element.matches(controls) && !isInSentence && Math.min(width, height) < TARGET)
      faults.push(`a target of ${Math.round(width)} × ${Math.round(height)}: ${name}`);
    const isOutside = left < -1 || right > document.documentElement.clientWidth + 1;
    const isWider =
      element instanceof HTMLElement &&
      !isInline &&
      !element.matches('input,textarea,select,pre') &&
      element.clientWidth > 0 &&
      style.textOverflow !== 'ellipsis' &&
      element.scrollWidth > element.clientWidth + 1;
    if (isOutside || isWider) faults.push(`wider than its pane: ${name}`);
    if (!isCard(element)) return;
    if (card) faults.push(`a card in a card: ${name} in ${card}`);
    if (hasEmptyHalf(element)) faults.push(`an empty half: ${name}`);
  };
  const visit = (element: Element, card: string): void => {
    const seen = { visibilityProperty: true, opacityProperty: true };
    if (!element.checkVisibility(seen)) return;
    const { width, height } = element.getBoundingClientRect();
    if (width === 1 && height === 1) return; // for screen readers alone
    examine(element, card);
    const inner = card || (isCard(element) ? nameOf(element) : '');
    for (const child of (element.shadowRoot ?? element).children) visit(child, inner);
  };
  visit(document.body, '');
  return faults;
}
