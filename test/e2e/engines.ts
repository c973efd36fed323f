// The three engines behind one small door: open a tab, go somewhere, run a script.
import { setTimeout as wait } from 'node:timers/promises';
import puppeteer, { type Page } from 'puppeteer-core';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { startWebKit } from '../runners/webkit-launcher.mjs';

export type Engine = 'chromium' | 'firefox' | 'webkit';

export interface Tab {
  go(url: string): Promise<void>;
  /** Runs the body of a function in the page; resolves to what it returns. */
  run<T = void>(body: string): Promise<T>;
  /** The page as the one driver knows it that can do more. */
  readonly page?: Page;
}

export interface EngineDoor {
  /** `honest`: it knows when it is behind others; else each believes to be in front, where the engine can be told so. */
  tab(honest?: boolean): Promise<Tab>;
  close(): Promise<void>;
}

const LONGEST = 15_000;

// A runner that loses patience leaves no browser behind.
process.once('SIGTERM', () => process.exit(1));

/** Runs a script until it returns something true; fails after 15 s. */
export async function until(tab: Tab, expression: string): Promise<void> {
  for (const start = performance.now(); performance.now() - start < LONGEST; ) {
    if (await tab.run<boolean>(`return !!(${expression})`).catch(() => false)) return; // on its way from one page to another, it runs nothing
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(
    `never came: ${expression}; the page shows: ${await tab.run<string>('return document.body.innerText')}`,
  );
}

const bodyAsText = (body: string) => `(() => { ${body} })()`;

async function byPuppeteer(
  engine: 'chromium' | 'firefox',
  executablePath: string,
): Promise<EngineDoor> {
  const args =
    engine === 'firefox'
      ? []
      : [
          ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
          '--disable-gpu',
          '--disable-dev-shm-usage',
        ];
  const browser = await puppeteer.launch({
    browser: engine === 'firefox' ? 'firefox' : 'chrome',
    headless: true,
    executablePath,
    args,
  });
  process.once('exit', () => void browser.process()?.kill('SIGKILL'));
  return {
    // on a busy machine a browser may never say that it has closed
    close: async () => {
      await Promise.race([browser.close(), wait(10_000, undefined, { ref: false })]);
      browser.process()?.kill('SIGKILL');
    },
    async tab(honest = false) {
      const page = await browser.newPage();
      if (engine === 'chromium' && !honest)
        await (await page.createCDPSession()).send('Emulation.setFocusEmulationEnabled', {
          enabled: true,
        });
      return {
        page,
        go: async (url) => void (await page.goto(url)),
        run: <T>(body: string) => page.evaluate(bodyAsText(body)) as Promise<T>,
      };
    },
  };
}

async function byWebDriver(paths: unknown): Promise<EngineDoor> {
  const { call, stop } = await startWebKit(paths as never);
  let last: Promise<unknown> = Promise.resolve();
  // One window is spoken to at a time: whoever speaks names it first.
  const inWindow = <T>(handle: string, path: string, body: unknown): Promise<T> => {
    const spoken = last.then(async () => {
      await call('POST', '/window', { handle });
      return call('POST', path, body) as Promise<T>;
    });
    last = spoken.catch(() => {});
    return spoken;
  };
  let first: string | undefined = (await call('GET', '/window')) as string;
  return {
    close: stop,
    async tab() {
      const handle =
        first ??
        ((await call('POST', '/window/new', { type: 'window' })) as { handle: string }).handle;
      first = undefined;
      return {
        go: (url) => inWindow(handle, '/url', { url }),
        run: (body) => inWindow(handle, '/execute/sync', { script: body, args: [] }),
      };
    },
  };
}

/** Starts an engine of this machine; `undefined` where it has none and nobody insists. */
export async function openEngine(engine: Engine): Promise<EngineDoor | undefined> {
  const found = findBrowsers()[engine];
  if (!found && (engine === 'chromium' || process.env['CI'] === 'true'))
    throw new Error(`No ${engine}: ${browserHints[engine]}`);
  if (!found) return undefined;
  return engine === 'webkit' ? byWebDriver(found) : byPuppeteer(engine, found as string);
}
