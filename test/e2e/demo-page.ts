// The real page in a real Chromium. Everything it does wrong on the way (console, errors, foreign requests) is kept.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after } from '#test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { serveDemo } from '../../demo/serve/demo.ts';
import { openEngine, whenTestEnds } from './engines.ts';

const folder = join(
  fileURLToPath(new URL('../..', import.meta.url)),
  '.cache',
  `e2e-${process.pid}`,
);

/** Visitors mostly wait, so some can wait at the same time. */
export const AT_ONCE = { concurrency: 3 };

interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly motion?: 'reduce' | 'no-preference';
  /** Runs in the page before any of its own scripts. */
  readonly before?: () => void;
}

export interface Stage {
  readonly url: string;
  readonly browser: Browser;
  /** What pages complained of so far. */
  readonly complaints: readonly string[];
  /** A new visitor, with storage of their own, in front of the page. */
  visit(look?: Look): Promise<Page>;
}

/** Serves the demo and starts the browser; both end with the tests. */
export async function openStage(): Promise<Stage> {
  const demo = await serveDemo({ folder });
  const door = (await openEngine('chromium'))!;
  const browser = door.browser!;
  const complaints: string[] = [];
  after(async () => {
    await door.close();
    await demo.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    url: demo.url,
    browser,
    complaints,
    visit: (look = {}) => visit(browser, demo.url, look, complaints),
  };
}

async function visit(
  browser: Browser,
  url: string,
  look: Look,
  complaints: string[],
): Promise<Page> {
  const visitor = await browser.createBrowserContext();
  whenTestEnds(() => visitor.close());
  const page = await visitor.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn')
      complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) =>
    complaints.push(`error: ${error instanceof Error ? error.message : String(error)}`),
  );
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`request: ${request.url()}`);
  });
  // Several visitors at once, and each believes to be in front.
  await (await page.createCDPSession()).send('Emulation.setFocusEmulationEnabled', {
    enabled: true,
  });
  await page.setViewport({ width: look.width ?? 1_200, height: look.height ?? 800 });
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: look.scheme ?? 'light' },
    { name: 'prefers-reduced-motion', value: look.motion ?? 'no-preference' },
  ]);
  if (look.before) await page.evaluateOnNewDocument(look.before);
  await page.goto(url);
  await page.waitForSelector('.choice');
  return page;
}

/** Orders what is chosen and waits for the code. */
export async function order(page: Page): Promise<void> {
  await page.click('#submit');
  await until(page, 'awaiting');
}

/** Waits for a phase of the checkout; time is moved by the panel, so that nobody waits for a clock. */
export async function until(page: Page, phase: string): Promise<void> {
  await page.waitForSelector(`#payment[data-phase="${phase}"]`);
}

/** Moves time by a button of the panel; what falls due meanwhile has been done afterwards. */
export async function moveTime(page: Page, id: string): Promise<void> {
  await press(page, id);
  await page.waitForSelector(`#${id}[aria-busy="false"]`);
}

export const press = (page: Page, id: string): Promise<void> =>
  page.$eval(`#${id}`, (button) => (button as HTMLElement).click());

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent?.trim() ?? '');

/** Selector of a part of the checkout. */
export const part = (name: string): string => `paystate-checkout >>> [part=${name}]`;

/** The code in all the forms in which it is on offer. */
export const codeOf = (page: Page): Promise<{ text: string; link: string; pictures: number }> =>
  page.$eval('paystate-checkout', (element) => {
    const partOf = (name: string): Element => element.shadowRoot!.querySelector(`[part=${name}]`)!;
    return {
      text: (partOf('code') as HTMLInputElement).value,
      link: partOf('wallet').getAttribute('href') ?? '',
      pictures: partOf('qr').firstElementChild!.getAttribute('d') === '' ? 0 : 1,
    };
  });
