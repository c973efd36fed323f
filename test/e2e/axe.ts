import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../house/source.ts';
import { type Tab, until } from './engines.ts';

/** Puts axe into a page that does not serve it, from outside, as an extension does. */
export async function bringAxe(tab: Tab): Promise<void> {
  const script = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
  await tab.run(`if (!window.axe) (function () { ${script} }).call(window)`);
}

/** What axe finds, by rule and place: WCAG 2.2 A and AA. */
export async function axe(tab: Tab): Promise<string[]> {
  await until(tab, 'window.axe');
  await tab.run(`window.found = undefined; axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => (found = violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target + ' ' + failureSummary).join('; '))), (reason) => (found = [String(reason)]))`);
  await until(tab, 'window.found');
  return tab.run<string[]>('return found');
}
