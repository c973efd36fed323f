// Keeps the data of what people see, which a test compares, and takes a photograph of each state to look at.
// The data are boxes, texts and colours, in test/e2e/pictures. Photographs are in .cache/pictures.
//   npm run prove -- pictures            every face
//   npm run prove -- pictures checkout   one face, or several
//   npm run prove -- pictures readme     the README's picture, demo/screenshot.png
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { serveDemo } from '../../demo/serve/demo.ts';
import { keep, takePictures } from '../e2e/picture-book.ts';
import { FACES } from '../e2e/picture-faces.ts';
import { root } from '../house/source.ts';

/** Takes the page of `npm run demo` while it waits for its customer. */
async function takeReadme(browser: Browser): Promise<void> {
  const server = await serveDemo();
  const page = await browser.newPage();
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'light' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setViewport({ width: 1_200, height: 760 });
  await page.goto(server.url);
  await page.waitForSelector('.choice');
  await page.click('#submit');
  await page.waitForSelector('#payment[data-phase=awaiting]');
  const path = join(root, 'demo/screenshot.png');
  await page.screenshot({ path, fullPage: true });
  console.log(`demo/screenshot.png: ${statSync(path).size} bytes`);
  await server.close();
}

async function takeFace(browser: Browser, name: string): Promise<void> {
  const folder = join(root, '.cache/pictures', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const onShown = async (page: Page, at: string): Promise<void> =>
    void (await page.screenshot({ path: join(folder, `${at.replaceAll(' ', '-')}.png`) }));
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
