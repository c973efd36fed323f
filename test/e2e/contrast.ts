// Contrast of every visible text against what lies behind it, by the formula of the accessibility guidelines.
import type { Page } from 'puppeteer-core';

/** Texts that are too faint: 4.5 to 1, or 3 to 1 for large ones. */
export const faintTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const partsOf = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const light = (part: number): number =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = partsOf(color);
      return 0.2126 * light(red / 255) + 0.7152 * light(green / 255) + 0.0722 * light(blue / 255);
    };
    const groundOf = (element: Element | null): string => {
      if (!element) return 'rgb(255, 255, 255)';
      const { backgroundColor } = getComputedStyle(element);
      return partsOf(backgroundColor)[3] === 0 ? groundOf(element.parentElement) : backgroundColor;
    };
    const isSeen = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      !element.classList.contains('unseen') &&
      !element.classList.contains('skip');
    const hasOwnText = (element: Element): boolean =>
      [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );

    return [...document.querySelectorAll('body *')]
      .filter(
        (element) =>
          (hasOwnText(element) || element instanceof HTMLInputElement) && isSeen(element),
      )
      .flatMap((element) => {
        if (element instanceof HTMLButtonElement && element.disabled) return [];
        const style = getComputedStyle(element);
        const [high, low] = [luminance(style.color), luminance(groundOf(element))].sort(
          (a, b) => b - a,
        ) as [number, number];
        const ratio = (high + 0.05) / (low + 0.05);
        const size = parseFloat(style.fontSize);
        const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
        return ratio >= needed
          ? []
          : [
              `${ratio.toFixed(2)}: ${element.tagName} ${element.id || element.className} ${element.textContent?.trim().slice(0, 40)}`,
            ];
      });
  });
