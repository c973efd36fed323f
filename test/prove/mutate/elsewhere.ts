// The first file of a room's tests where the code runs in pages or in processes of their own: tells
// them which mutant is active, and brings back what each test came by there. Stryker itself sees
// only the process of the tests.
import childProcess from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

type Counts = Record<string, number>;

interface Coverage {
  readonly static: Counts;
  readonly perTest: Record<string, Counts>;
}

/** The object that the instrumented code shares with Stryker's runner, under a name of its own. */
interface Namespace {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: Coverage;
}

const shared = globalThis as { __stryker__?: Namespace };
const namespace: Namespace = (shared.__stryker__ ??= {});
const folder = mkdtempSync(join(tmpdir(), 'paystate-cover-'));

function addCounts(to: Counts, from: Counts): void {
  for (const [id, count] of Object.entries(from)) to[id] = (to[id] ?? 0) + count;
}

function addCoverage(found: Coverage | undefined): void {
  if (!found || namespace.activeMutant !== undefined) return;
  const all = (namespace.mutantCoverage ??= { static: {}, perTest: {} });
  addCounts(all.static, found.static);
  for (const [test, counts] of Object.entries(found.perTest))
    addCounts((all.perTest[test] ??= {}), counts);
}

const stateNow = (): Pick<Namespace, 'activeMutant' | 'currentTestId'> => ({
  activeMutant: namespace.activeMutant,
  currentTestId: namespace.currentTestId,
});

/** Reads what a page has come by so far; it forgets that when it goes elsewhere. */
async function gather(page: Page): Promise<void> {
  const found = await page
    .evaluate(() => {
      const own = (globalThis as { __stryker__?: { mutantCoverage?: unknown } }).__stryker__;
      return own?.mutantCoverage;
    })
    .catch(() => undefined);
  addCoverage(found as Coverage | undefined);
}

function follow(page: Page): Page {
  const { goto, reload, close } = page;
  const tell = (): Promise<unknown> =>
    page.evaluateOnNewDocument((state) => {
      Object.assign(globalThis, { __stryker__: state });
    }, stateNow());
  page.goto = async (...given) => {
    await gather(page);
    await tell();
    return goto.apply(page, given);
  };
  page.reload = async (...given) => {
    await gather(page);
    return reload.apply(page, given);
  };
  page.close = async (...given) => {
    await gather(page);
    return close.apply(page, given);
  };
  return page;
}

const { launch } = puppeteer;
puppeteer.launch = async (...given): Promise<Browser> => {
  const browser = await launch.apply(puppeteer, given);
  const { newPage } = browser;
  browser.newPage = async (...options) => follow(await newPage.apply(browser, options));
  return browser;
};

/** Adds what a process has to know to its environment. */
function withState(options: childProcess.SpawnOptions = {}): childProcess.SpawnOptions {
  const { activeMutant, currentTestId } = stateNow();
  const state = { activeMutant, currentTestId, folder };
  const env = {
    ...(options.env ?? process.env),
    NODE_OPTIONS: `--import=${new URL('child.ts', import.meta.url).href}`,
    PAYSTATE_MUTANT: JSON.stringify(state),
  };
  return { ...options, env };
}

const { spawn } = childProcess;
childProcess.spawn = ((
  command: string,
  args: readonly string[],
  options?: childProcess.SpawnOptions,
) => {
  const isNode = command === process.execPath;
  return spawn(command, args, isNode ? withState(options) : (options ?? {}));
}) as typeof spawn;
syncBuiltinESMExports();

(globalThis as unknown as { afterEach(step: () => void): void }).afterEach(() => {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    addCoverage(JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage);
    rmSync(join(folder, name));
  }
});
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
