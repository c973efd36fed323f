// Chromium, Firefox and WebKit in one run of @web/test-runner, in a process of its own:
// the runner takes over the terminal of the process it lives in.
import { relative } from 'node:path';
import { startTestRunner } from '@web/test-runner';
import { chromeLauncher } from '@web/test-runner-chrome';
import puppeteer from 'puppeteer-core';
import { freePort, webkitLauncher } from './webkit-launcher.mjs';

// A browser refuses its sandbox to root.
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Quiet and without traffic of its own. */
export const chromiumArguments = [
  ...asRoot,
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-component-update',
  '--disable-background-networking',
  '--no-first-run',
];

const launchers = {
  chromium: (executablePath) =>
    chromeLauncher({ launchOptions: { executablePath, args: chromiumArguments } }),
  firefox: (executablePath) =>
    chromeLauncher({
      puppeteer,
      concurrency: 1,
      createBrowserContext: ({ browser }) => browser.defaultBrowserContext(),
      launchOptions: { browser: 'firefox', headless: true, executablePath },
    }),
  webkit: webkitLauncher,
};

const testsOf = (suite, path = []) => [
  ...suite.tests.map((test) => ({ ...test, path: [...path, test.name].join(' › ') })),
  ...suite.suites.flatMap((inner) => testsOf(inner, [...path, inner.name])),
];

const outcomeOf = ({ testResults, errors, request404s }) => {
  const tests = testResults ? testsOf(testResults) : [];
  const failed = tests.filter(({ passed, skipped }) => !passed && !skipped);
  return {
    passed: tests.filter(({ passed }) => passed).length,
    skipped: tests
      .filter(({ skipped }) => skipped)
      .map(({ path }) => ({ name: path, why: 'the page does not say why' })),
    failures: [
      ...failed.map(({ path, error }) => ({
        name: path,
        message: `${error?.message ?? 'failed'}\n${error?.stack ?? ''}`,
      })),
      ...errors.map((error) => ({
        name: 'the page',
        message: [error.message, error.stack, ...request404s].join('\n'),
      })),
    ],
  };
};

const configFor = (root, file, browsers, port) => ({
  port, // legs that run at the same time would choose the same one
  rootDir: root,
  files: [relative(root, file)],
  browsers,
  concurrentBrowsers: 3,
  reporters: [],
  browserStartTimeout: 60_000,
  testsStartTimeout: 60_000,
  // ends a page that hangs; three engines with 2,500 tests each took over 300 s on two busy cores
  testsFinishTimeout: 600_000,
  // ends a test that hangs; WebKit beside two other engines once took over 30 s for one that is usually done in one
  testFramework: { config: { ui: 'bdd', timeout: 120_000, forbidOnly: true } },
});

process.once('message', async ({ root, file, found }) => {
  const browsers = Object.entries(found).map(([name, path]) =>
    Object.assign(launchers[name](path), { name }),
  );
  // Whoever asked has gone: leave no browser behind.
  process.once('disconnect', async () => {
    await Promise.allSettled(browsers.map((browser) => browser.stop?.()));
    process.exit(1);
  });
  const runner = await startTestRunner({
    config: configFor(root, file, browsers, await freePort()),
    readCliArgs: false,
    readFileConfig: false,
    autoExitProcess: false,
  });
  await new Promise((resolve) => runner.on('stopped', resolve));
  const outcomes = [...runner.sessions.all()].map((session) => [
    session.browser.name,
    outcomeOf(session),
  ]);
  process.send(Object.fromEntries(outcomes), () => process.exit());
});
