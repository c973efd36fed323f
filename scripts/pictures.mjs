// `npm run pictures`: each state of the elements in three widths and two colour schemes, into .cache/pictures.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import puppeteer from 'puppeteer-core';
import { serve } from '../dist/cli/loopback.js';
import { browserHints, findBrowsers } from './browsers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache/pictures');
const WIDTHS = [360, 768, 1_200];
const SCHEMES = ['light', 'dark'];
const only = process.argv[2] ?? '';

const { chromium } = findBrowsers();
if (!chromium) throw new Error(`No Chromium: ${browserHints.chromium}`);

const { outputFiles } = await build({
  entryPoints: [join(root, 'scripts/pictures/page.js')],
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2022',
});
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; require-trusted-types-for 'script'">
<title>Pictures</title><link rel="stylesheet" href="/page.css"><script type="module" src="/page.js"></script><main></main></html>`;
const FILES = {
  '/': ['text/html', PAGE],
  '/page.js': ['text/javascript', outputFiles[0].text],
  '/page.css': ['text/css', ':root{color-scheme:light dark}body{margin:0;padding:1rem}'],
};
const server = await serve((request) => {
  const [type, text] = FILES[new URL(request.url).pathname] ?? [];
  return text === undefined
    ? new Response(null, { status: 404 })
    : new Response(text, { headers: { 'content-type': type } });
});
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
let count = 0;
try {
  const page = await browser.newPage();
  page.on('console', (message) => console.log(message.text()));
  page.on('pageerror', (error) => console.log(String(error)));
  for (const scheme of SCHEMES) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    for (const width of WIDTHS) {
      await page.setViewport({ width, height: 640 });
      await page.goto(server.url);
      await page.waitForFunction('window.states');
      for (const state of await page.evaluate('window.states')) {
        if (!state.includes(only)) continue;
        const height = await page.evaluate((name) => window.show(name), state);
        const name = `${state}-${width}-${scheme}`;
        await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
        if (scheme === 'light') console.log(`${name}: ${height} px`);
        count++;
      }
      await page.setViewport({ width: 6 * width + 32, height: 640 });
      await page.evaluate((each) => window.sheet(each), width);
      await page.screenshot({ path: join(folder, `all-${width}-${scheme}.png`), fullPage: true });
    }
  }
} finally {
  await browser.close();
  await server.close();
}
console.log(`${count} pictures in .cache/pictures`);
