// Where the three browser engines are on this machine, and how to get those that are missing.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const onPath = (names) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isExecutable);

const firstExecutable = (paths) => paths.find((path) => path && isExecutable(path));

// MiniBrowser lies in a library folder, never on PATH; only the package system knows where.
const miniBrowser = () =>
  spawnSync('dpkg', ['-L', 'libwebkit2gtk-4.1-0'], { encoding: 'utf8' })
    .stdout?.split('\n')
    .find((path) => path.endsWith('/MiniBrowser') && isExecutable(path));

/** Paths of what is installed; an engine that lacks a part is undefined. */
export function findBrowsers() {
  const driver = onPath(['WebKitWebDriver']);
  const display = process.env.DISPLAY ? true : onPath(['Xvfb']);
  const mini = driver && display && miniBrowser();
  return {
    chromium:
      firstExecutable([process.env.CHROME_PATH]) ??
      onPath(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) ??
      firstExecutable(['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome']),
    firefox:
      firstExecutable([process.env.FIREFOX_PATH]) ??
      onPath(['firefox-esr', 'firefox']) ??
      firstExecutable(['/Applications/Firefox.app/Contents/MacOS/firefox']),
    webkit: mini ? { driver, miniBrowser: mini } : undefined,
  };
}

/** What a person can do about a missing engine. */
export const browserHints = {
  chromium: 'install chromium (Debian: apt-get install chromium) or set CHROME_PATH',
  firefox: 'install firefox (Debian: apt-get install firefox-esr) or set FIREFOX_PATH',
  webkit:
    'install WebKitGTK (Debian: apt-get install webkit2gtk-driver xvfb); there is no other source',
};

const packagesOf = {
  chromium: () => ['chromium'],
  firefox: () => ['firefox-esr'],
  webkit: () => (process.env.DISPLAY ? ['webkit2gtk-driver'] : ['webkit2gtk-driver', 'xvfb']),
};

const isRoot = process.getuid?.() === 0;

/** The machines of continuous integration let their user become root without a password; elsewhere nobody is asked. */
const needsSudo = () => !isRoot && process.env.CI === 'true' && onPath(['sudo']);

/** Whether packages of the system can be installed. */
export const canInstall = () =>
  process.env.SKIP_BROWSER_INSTALL !== '1' && (isRoot || needsSudo()) && onPath(['apt-get']);

const APT = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=300', '-qq'];

const apt = (...args) => {
  const [command, ...rest] = needsSudo() ? ['sudo', '-n', ...APT] : ['env', ...APT];
  return spawnSync(command, [...rest, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Installs packages of the system. */
export function install(packages) {
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
}

/** Installs what is missing where that is possible, and says what to do where it is not. */
export function ensureBrowsers() {
  const missing = () =>
    Object.entries(findBrowsers()).flatMap(([name, found]) => (found ? [] : [name]));
  const wanted = missing();
  if (wanted.length > 0 && canInstall()) {
    console.log(`installing ${wanted.join(', ')} …`);
    install(wanted.flatMap((name) => packagesOf[name]()));
  }
  for (const name of missing()) console.log(`no ${name}: ${browserHints[name]}`);
}
