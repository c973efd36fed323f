// The three engines behind one small door: open a tab, go somewhere, run a script.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { browserHints, findBrowsers } from '../../scripts/browsers.mjs';
import { type Context, it as plainIt } from '#test';
import { startWebKit } from '../runners/webkit-launcher.mjs';

export type Engine = 'chromium' | 'firefox' | 'webkit';

/** Chromium, and with `npm run test:all` the two other engines, too. */
export const engines: readonly Engine[] =
  process.env['TEST_SIZE'] === 'all' ? ['chromium', 'firefox', 'webkit'] : ['chromium'];

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
  /** The browser as the one driver knows it that can do more. */
  readonly browser?: Browser;
  /** Closes the tabs of this door; the engine ends with its last door. */
  close(): Promise<void>;
}

type End = () => Promise<void>;

/** An engine that runs; the files of one process share it, for its start costs more than most tests. */
interface Running {
  readonly browser?: Browser;
  tab(honest: boolean): Promise<{ readonly tab: Tab; readonly close: End }>;
  readonly stop: End;
}

const LONGEST = 15_000;

// A runner that loses patience leaves no browser behind.
process.once('SIGTERM', () => process.exit(1));

const endsOfTest = new AsyncLocalStorage<End[]>();

/** Is called when the test ends in which this is said; never, if it is said outside of tests. */
export const whenTestEnds = (end: End): void => void endsOfTest.getStore()?.push(end);

/** A test that leaves no tab behind: a page that nobody looks at any more goes on asking and drawing. */
export const it = (title: string, body: (context: Context) => unknown): void =>
  void plainIt(title, (context) => {
    const ends: End[] = [];
    return endsOfTest.run(ends, async () => {
      try {
        await body(context);
      } finally {
        await Promise.all(ends.map((end) => end()));
      }
    });
  });

/** Pauses between two looks, milliseconds: what takes long is looked at less often, for each look takes the page's time. */
const [SHORTEST_PAUSE, LONGEST_PAUSE] = [5, 60];

/** Runs a script until it returns something true; fails after 15 s. */
export async function until(tab: Tab, expression: string): Promise<void> {
  let pause = SHORTEST_PAUSE;
  for (const start = performance.now(); performance.now() - start < LONGEST; ) {
    if (await tab.run<boolean>(`return !!(${expression})`).catch(() => false)) return; // on its way from one page to another, it runs nothing
    await wait(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE);
  }
  throw new Error(
    `never came: ${expression}; the page shows: ${await tab.run<string>('return document.body.innerText')}`,
  );
}

const bodyAsText = (body: string) => `(() => { ${body} })()`;

const CHROMIUM = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  // Pages of one browser share a process: its start costs as much as most pages.
  '--renderer-process-limit=1',
  '--disable-site-isolation-trials',
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--disable-extensions',
];

/** One process for all pages, as above, and none started in advance. */
const FIREFOX = {
  'dom.ipc.processPrelaunch.enabled': false,
  'dom.ipc.processCount': 1,
  'fission.autostart': false,
  'fission.webContentIsolationStrategy': 0,
};

async function byPuppeteer(
  engine: 'chromium' | 'firefox',
  executablePath: string,
): Promise<Running> {
  const browser = await puppeteer.launch({
    browser: engine === 'firefox' ? 'firefox' : 'chrome',
    headless: true,
    executablePath,
    args: engine === 'firefox' ? [] : CHROMIUM,
    extraPrefsFirefox: FIREFOX,
  });
  process.once('exit', () => void browser.process()?.kill('SIGKILL'));
  return {
    browser,
    // on a busy machine a browser may never say that it has closed
    stop: async () => {
      await Promise.race([browser.close(), wait(10_000, undefined, { ref: false })]);
      browser.process()?.kill('SIGKILL');
    },
    async tab(honest) {
      const page = await browser.newPage();
      if (engine === 'chromium' && !honest)
        await (await page.createCDPSession()).send('Emulation.setFocusEmulationEnabled', {
          enabled: true,
        });
      const tab: Tab = {
        page,
        go: async (url) => void (await page.goto(url)),
        run: <T>(body: string) => page.evaluate(bodyAsText(body)) as Promise<T>,
      };
      return { tab, close: () => page.close() };
    },
  };
}

async function byWebDriver(paths: unknown): Promise<Running> {
  const { call, stop } = await startWebKit(paths as never);
  let last: Promise<unknown> = Promise.resolve();
  const first = (await call('GET', '/window')) as string;
  let named = first;
  // One window is spoken to at a time: whoever speaks names it first.
  const inWindow = <T>(
    handle: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<T> => {
    const spoken = last.then(async () => {
      if (named !== handle) await call('POST', '/window', { handle });
      named = handle;
      return call(method, path, body) as Promise<T>;
    });
    last = spoken.catch(() => {});
    return spoken;
  };
  return {
    stop,
    // The window that the engine began with is left alone: with its last window the session would end.
    async tab() {
      const window = { type: 'window' };
      const { handle } = await inWindow<{ handle: string }>(first, 'POST', '/window/new', window);
      const tab: Tab = {
        go: (url) => inWindow(handle, 'POST', '/url', { url }),
        run: (body) => inWindow(handle, 'POST', '/execute/sync', { script: body, args: [] }),
      };
      return { tab, close: () => inWindow(handle, 'DELETE', '/window') };
    },
  };
}

interface Shared {
  doors: number;
  readonly running: Promise<Running>;
}

const shared = new Map<Engine, Shared>();

function share(engine: Engine, paths: unknown): Shared {
  const start = (): Promise<Running> =>
    engine === 'webkit' ? byWebDriver(paths) : byPuppeteer(engine, paths as string);
  const one = shared.get(engine) ?? { doors: 0, running: start() };
  one.doors += 1;
  shared.set(engine, one);
  one.running.catch(() => shared.delete(engine)); // the next one to ask tries again
  return one;
}

async function leave(engine: Engine, one: Shared): Promise<void> {
  one.doors -= 1;
  if (one.doors > 0) return;
  shared.delete(engine);
  await (await one.running).stop();
}

/** Opens a door to an engine of this machine; `undefined` where it has none and nobody insists. */
export async function openEngine(engine: Engine): Promise<EngineDoor | undefined> {
  const found = findBrowsers()[engine];
  if (!found && (engine === 'chromium' || process.env['CI'] === 'true'))
    throw new Error(`No ${engine}: ${browserHints[engine]}`);
  if (!found) return undefined;
  const one = share(engine, found);
  const { browser, tab } = await one.running;
  const open = new Set<End>();
  return {
    ...(browser && { browser }),
    async tab(honest = false) {
      const { tab: made, close } = await tab(honest);
      const end = async (): Promise<void> => {
        if (open.delete(end)) await close().catch(() => {}); // it may have gone by itself
      };
      open.add(end);
      whenTestEnds(end);
      return made;
    },
    async close() {
      if (shared.get(engine) === one && one.doors > 1)
        await Promise.all([...open].map((end) => end()));
      await leave(engine, one);
    },
  };
}
