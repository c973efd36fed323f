// Keeps the data of what people see, which a test compares, and takes a photograph of each state to look at.
// The data are boxes, texts and colours, in test/e2e/pictures. Photographs are in .cache/pictures.
//   npm run prove -- pictures            every face
//   npm run prove -- pictures checkout   one face, or several
//   npm run prove -- pictures readme     the README's pictures, demo/screenshot*.webp
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { serveDemo } from '../../demo/serve/demo.ts';
import { keep, takePictures } from '../e2e/picture-book.ts';
import { useTestFont } from '../e2e/picture-data.ts';
import { FACES } from '../e2e/picture-faces.ts';
import { root } from '../house/source.ts';

const README_PICTURES = { light: 'demo/screenshot.webp', dark: 'demo/screenshot-dark.webp' };
const README_WIDTH = 1_200;

/** Takes the page of `npm run demo` while it waits for its customer, down to the end of its checkout. */
async function takeReadme(browser: Browser): Promise<void> {
  const server = await serveDemo();
  const page = await browser.newPage();
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await page.setViewport({ width: README_WIDTH, height: 764, deviceScaleFactor: 1.5 });
  await page.goto(server.url);
  await page.waitForSelector('.choice');
  await page.click('#submit');
  await page.waitForSelector('#payment[data-phase=awaiting]');
  await useTestFont(page);
  const height = await page.$eval('#panel', (panel) => panel.getBoundingClientRect().bottom + 24);
  for (const [value, file] of Object.entries(README_PICTURES)) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    const path = join(root, file);
    await page.screenshot({ path, quality: 60, clip: { x: 0, y: 0, width: README_WIDTH, height } });
    console.log(`${file}: ${statSync(path).size} bytes`);
  }
  await server.close();
}

async function takeFace(browser: Browser, name: string): Promise<void> {
  const folder = join(root, '.cache/pictures', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const onShown = async (page: Page, at: string): Promise<void> =>
    void (await page.screenshot({
      path: join(folder, `${at.replaceAll(' ', '-')}.png`),
      fullPage: !at.includes(' rtl '), // whole pages from right to left are moved sideways
    }));
  keep(name, await takePictures(browser, name, { onShown }));
  console.log(`${name}: its data in test/e2e/pictures, photographs in .cache/pictures/${name}`);
}

const { chromium } = findBrowsers();
if (!chromium) throw new Error(`No Chromium: ${browserHints.chromium}`);
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const given = process.argv.slice(2);
try {
  for (const name of given.length > 0 ? given : Object.keys(FACES))
    await (name === 'readme' ? takeReadme(browser) : takeFace(browser, name));
} finally {
  await browser.close();
}
process.exit(); // timers of the sandboxes are left
