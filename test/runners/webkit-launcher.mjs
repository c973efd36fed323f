// WebKit for @web/test-runner: WebKitGTK's small browser, spoken to in plain W3C WebDriver over fetch.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A port that nobody listens on right now. */
export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

// GTK needs a display; where there is none, a virtual one says its number on descriptor 3.
const startDisplay = async () => {
  const child = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const [number] = await once(child.stdio[3], 'data');
  return { child, name: `:${String(number).trim()}` };
};

const speakTo = (base) => async (method, path, body) => {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`WebDriver ${path}: ${JSON.stringify(answer.value)}`);
  return answer.value;
};

const untilReady = async (call) => {
  for (let attempt = 0; attempt < 200; attempt++) {
    const ready = await call('GET', '/status').then(
      () => true,
      () => false,
    );
    if (ready) return;
    await sleep(50);
  }
  throw new Error('WebKitWebDriver did not start');
};

/** A browser that is driven by hand: `call` speaks WebDriver inside the session. */
export async function startWebKit({ driver, miniBrowser }) {
  const display = process.env.DISPLAY ? undefined : await startDisplay();
  const port = await freePort();
  const child = spawn(driver, [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, ...(display && { DISPLAY: display.name }) },
  });
  const call = speakTo(`http://127.0.0.1:${port}`);
  await untilReady(call);
  const options = { binary: miniBrowser, args: ['--automation'] };
  const wanted = { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options };
  const { sessionId } = await call('POST', '/session', { capabilities: { alwaysMatch: wanted } });
  const end = () => {
    child.kill();
    display?.child.kill();
  };
  process.once('exit', end); // without a display its windows end too
  const stop = async () => {
    await call('DELETE', `/session/${sessionId}`).catch(() => {});
    process.off('exit', end);
    end();
  };
  return { call: (method, path, body) => call(method, `/session/${sessionId}${path}`, body), stop };
}

/** The launcher: one window, one page after the other. */
export function webkitLauncher(paths) {
  let browser;
  const pages = new Map();
  return {
    name: 'WebKit',
    type: 'webkitgtk',
    concurrency: 1,
    async initialize() {},
    async startSession(id, url) {
      browser ??= startWebKit(paths);
      await (await browser).call('POST', '/url', { url });
      pages.set(id, url);
    },
    isActive: (id) => pages.has(id),
    getBrowserUrl: (id) => pages.get(id),
    async stopSession(id) {
      pages.delete(id);
      return { testCoverage: undefined };
    },
    async stop() {
      await (await browser)?.stop();
    },
  };
}
