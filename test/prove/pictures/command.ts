// Takes a picture of each state of the elements and of each page, in three widths and two colour
// schemes.
//   npm run prove -- pictures                  all, into .cache/pictures
//   npm run prove -- pictures shop             those with this word in their name
//   npm run prove -- pictures readme           the README's, into demo/screenshot.png
//   npm run prove -- pictures data checkout    the data of a face, or of all, in test/e2e/pictures
// A test compares these data: boxes, texts and colours. Photographs of them are in .cache/pictures/data.
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import { browserHints, findBrowsers } from '../../../scripts/browsers.mjs';
import { root } from '../../house/source.ts';
import { PAGES, type PictureSet, serveScript } from './pages.ts';

type Scheme = 'light' | 'dark';

const folder = join(root, '.cache/pictures');
const WIDTHS = [360, 768, 1_200];
const ELEMENT_WIDTHS = [240, 320, 480, 960];
const SCHEMES: readonly Scheme[] = ['light', 'dark'];
const only = process.argv[2] ?? '';

const { chromium } = findBrowsers();
if (!chromium) throw new Error(`No Chromium: ${browserHints.chromium}`);
const browser = await puppeteer.launch({
  executablePath: chromium,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
let count = 0;

/** A page in one width and scheme; what it complains of is printed. */
async function openPage(scheme: Scheme, width: number, height = 640): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.on('console', (message) => console.log(message.text()));
  page.on('pageerror', (error) => console.log(String(error)));
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.setViewport({ width, height });
  return page;
}

async function takeElements(scheme: Scheme, width: number): Promise<void> {
  const server = await serveScript('elements.ts');
  const page = await openPage(scheme, width);
  await page.goto(server.url);
  await page.waitForFunction('window.states');
  for (const state of await page.evaluate(() => window.states)) {
    if (!state.includes(only)) continue;
    const height = await page.evaluate((name) => window.show(name), state);
    if (scheme === 'light') console.log(`${state}-${width}: ${height} px`);
    await take(page, `${state}-${width}-${scheme}`);
  }
  await page.setViewport({ width: 6 * (width + 32) + 32, height: 640 });
  await page.evaluate((each) => window.sheet(each), width);
  await take(page, `all-${width}-${scheme}`);
  await page.browserContext().close();
  await server.close();
}

/** The states of a page, one after the other, as they follow from each other. */
async function takePage(
  name: string,
  { open, states }: PictureSet,
  scheme: Scheme,
  [width, height]: readonly [width: number, height?: number],
): Promise<void> {
  const server = await open();
  const page = await openPage(scheme, width, height);
  await page.goto(server.url);
  for (const [state, bring] of Object.entries(states)) {
    await bring(page, server);
    await take(page, `${name}-${state}-${width}-${scheme}`);
  }
  await page.browserContext().close();
  await server.close();
}

/** Everything that was chosen, in one scheme. */
async function takeScheme(scheme: Scheme, isPage: boolean): Promise<void> {
  if (!isPage) for (const width of ELEMENT_WIDTHS) await takeElements(scheme, width);
  for (const [name, set] of Object.entries(PAGES))
    for (const size of set.sizes ?? WIDTHS.map((width) => [width] as const))
      if (!only || name === only) await takePage(name, set, scheme, size);
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  count++;
}

/** The page of `npm run demo` while it waits for its customer. */
async function takeReadme(): Promise<void> {
  const { open, states } = PAGES['demo']!;
  const server = await open();
  const page = await openPage('light', 1_200, 760);
  await page.goto(server.url);
  for (const state of ['shop', 'awaiting']) await states[state]!(page, server);
  const path = join(root, 'demo/screenshot.png');
  await page.screenshot({ path, fullPage: true });
  console.log(`demo/screenshot.png: ${statSync(path).size} bytes`);
  await server.close();
}

/** Keeps the data that the test of the pictures compares, and takes a photograph of each. */
async function takeData(): Promise<void> {
  const { keep, takePictures } = await import('../../e2e/picture-book.ts');
  const { FACES } = await import('../../e2e/picture-faces.ts');
  const chosen = process.argv.slice(3);
  for (const name of chosen.length > 0 ? chosen : Object.keys(FACES)) {
    const photographs = join(folder, 'data', name);
    rmSync(photographs, { recursive: true, force: true });
    mkdirSync(photographs, { recursive: true });
    const onShown = async (page: Page, at: string): Promise<void> => {
      await page.screenshot({ path: join(photographs, `${at.replaceAll(' ', '-')}.png`) });
      count++;
    };
    keep(name, await takePictures(browser, name, { onShown }));
  }
  console.log(`test/e2e/pictures was written; ${count} photographs in .cache/pictures/data`);
}

try {
  if (only === 'readme') await takeReadme();
  else if (only === 'data') await takeData();
  else {
    const isPage = Object.hasOwn(PAGES, only);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const scheme of SCHEMES) await takeScheme(scheme, isPage);
    console.log(`${count} pictures in .cache/pictures`);
  }
} finally {
  await browser.close();
}
process.exit(); // timers of the sandboxes are left
