import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../house/source.ts';
import { type Tab, until } from './engines.ts';

/** Puts axe into a page that does not serve it, from outside, as an extension does. */
export async function bringAxe(tab: Tab): Promise<void> {
  const script = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
  await tab.run(`if (!window.axe) (function () { ${script} }).call(window)`);
}

const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that read colours: a page that has been examined in one scheme differs by these alone in the other. */
const OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Ends all motion in a page, in shadow trees too: a colour in the middle of a fade is not the one
 * that people read.
 */
const STILL = `
  const still = new CSSStyleSheet();
  still.replaceSync('*, *::before, *::after { animation: none !important; transition: none !important }');
  (function hold(root) {
    if (!root.adoptedStyleSheets.some((sheet) => sheet.isStill))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, Object.assign(still, { isStill: true })];
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) hold(shadowRoot);
  })(document);
`;

/**
 * Runs axe by WCAG 2.2 A and AA, and returns its findings by rule and place. In a further colour
 * scheme of a page that was examined, only the rules that read colours run.
 */
export async function axe(tab: Tab, isFurtherScheme = false): Promise<string[]> {
  const options = {
    runOnly: isFurtherScheme ? OF_COLOURS : ALL,
    resultTypes: ['violations'], // what passed is not described, which takes half of the time
    preload: false, // style sheets and media, for rules that are not among these
  };
  await until(tab, 'window.axe');
  await tab.run(STILL);
  await tab.run(`window.found = undefined; axe.run(${JSON.stringify(options)})
    .then(({ violations }) => (found = violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; '))), (reason) => (found = [String(reason)]))`);
  await until(tab, 'window.found');
  return tab.run<string[]>('return found');
}
