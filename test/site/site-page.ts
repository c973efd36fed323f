// The built site in a real Chromium, served from a folder below the top, as a static host may serve it.
import { after, before } from '#test';
import type { Page } from 'puppeteer-core';
import { built } from '../../demo/site/make/build.ts';
import { serve } from '../../dist/cli/loopback.js';
import { filesFrom } from '../../demo/serve/files.ts';
import { type EngineDoor, openEngine, type Tab, whenTestEnds } from '../e2e/engines.ts';

/** The site must not know this name. */
const FOLDER = '/some/folder';

interface Visitor {
  readonly page: Page;
  /** What the browser complained of, and requests of other hosts. */
  readonly complaints: readonly string[];
}

export interface Site {
  /** Goes to a page, such as `manual/core.html`. */
  visit(path: string): Promise<Visitor>;
  /** Paths that were asked for so far. */
  readonly asked: readonly string[];
  /** The address of a page. */
  urlOf(path: string): string;
}

const answer = filesFrom(built);

/** Serves the site and starts the browser; both end with the tests. */
export function openSite(): Site {
  const asked: string[] = [];
  let door: EngineDoor;
  let served: Awaited<ReturnType<typeof serve>>;
  before(async () => {
    served = await serve(async (request: Request) => {
      const url = new URL(request.url);
      asked.push(url.pathname + url.search);
      if (!url.pathname.startsWith(`${FOLDER}/`)) return new Response(null, { status: 404 });
      url.pathname = url.pathname.slice(FOLDER.length);
      return answer(new Request(url));
    });
    door = (await openEngine('chromium'))!;
  });
  after(async () => {
    await door.close();
    await served.close();
  });
  const urlOf = (path: string): string => `${served.url}${FOLDER}/${path}`;
  const visit = async (path: string): Promise<Visitor> => {
    const context = await door.browser!.createBrowserContext();
    whenTestEnds(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(served.url))
        complaints.push(`request: ${request.url()}`);
    });
    await page.goto(urlOf(path), { waitUntil: 'networkidle0' });
    return { page, complaints };
  };
  return { visit, urlOf, asked };
}

/** The page as the helpers of other tests take it. */
export const tabOf = (page: Page): Tab => ({
  page,
  go: async (url) => void (await page.goto(url)),
  run: <T>(body: string) => page.evaluate(`(() => { ${body} })()`) as Promise<T>,
});

/** What a program has written, and what its page says of it. */
export interface Outcome {
  /** The lines that are no warnings. */
  readonly said: readonly string[];
  readonly lines: readonly string[];
  readonly status: string;
}

/** Presses a button of the program with this number. */
export const press = (page: Page, part: 'run' | 'stop', number = 0): Promise<void> =>
  page.evaluate(
    (name, n) => {
      const element = [...document.querySelectorAll('manual-program:not([command])')][n]!;
      element.shadowRoot!.querySelector<HTMLElement>(`[part=${name}]`)!.click();
    },
    part,
    number,
  );

/** Presses Run of the program with this number and waits until it is done, has failed or was stopped. */
export async function runProgram(page: Page, number = 0): Promise<Outcome> {
  await press(page, 'run', number);
  return outcomeOf(page, number);
}

/** Returns the lines that a program has written so far, and that are no warnings. */
export const saidBy = (page: Page, number: number): Promise<readonly string[]> =>
  page.evaluate((n) => {
    const element = [...document.querySelectorAll('manual-program:not([command])')][n]!;
    const lines = element.shadowRoot!.querySelectorAll('[part=output] .log');
    return [...lines].map((line) => line.textContent!.trimEnd());
  }, number);

/** Waits for the end of a program that was started. */
export async function outcomeOf(page: Page, number = 0): Promise<Outcome> {
  const handle = await page.waitForFunction(
    (n) => {
      const element = [...document.querySelectorAll('manual-program:not([command])')][n]!;
      const partOf = (name: string) => element.shadowRoot!.querySelector(`[part=${name}]`)!;
      const status = partOf('status').textContent!;
      if (!/^(Done|Failed|Stopped|The program could)/.test(status)) return false;
      const lines = [...partOf('output').children];
      const textOf = (line: Element) => line.textContent!.trimEnd();
      const said = lines.filter((line) => line.className === 'log').map(textOf);
      return { status, said, lines: lines.map(textOf) };
    },
    {},
    number,
  );
  return (await handle.jsonValue()) as Outcome;
}
