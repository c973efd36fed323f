// The process of the example's Worker. It runs wrangler, with the Worker that sends refunds next to
// it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const LONGEST_START_MS = 30_000;

export interface WorkerPlace {
  /** The folder with `wrangler.jsonc`. */
  readonly folder: string;
  readonly url: string;
  /** The configuration of the Worker that sends refunds. */
  readonly till: string;
  readonly state: string;
  /** The file with the Worker's settings. */
  readonly vars: string;
  readonly log: string;
  readonly errors?: number;
}

/**
 * wrangler's notice that crons don't run by themselves on this machine. The back office has a
 * button to compare.
 */
const CRON_NOTICE = [
  /Scheduled Workers are not automatically triggered during local development/,
  /^ *To manually trigger a scheduled event, run:$/,
  /^ *curl "[^"]*\/scheduled"$/,
  /^ *For more details, see .*cron-triggers/,
];

/**
 * Returns a function that tells, line by line, if a line belongs to the notice. Empty lines in and
 * after it do.
 */
export function cronNotice(): (line: string) => boolean {
  let next = 0;
  return (line) => {
    const plain = stripVTControlCharacters(line);
    if (CRON_NOTICE[next]?.test(plain)) next++;
    else if (next > 0 && plain.trim() !== '') next = 0;
    return next > 0;
  };
}

/** Prints the errors of the process. */
async function tell(stream: NodeJS.ReadableStream): Promise<void> {
  const isNotice = cronNotice();
  for await (const line of createInterface({ input: stream }))
    if (!isNotice(line)) console.error(line);
}

const respondsAt = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

const argumentsOf = ({ url, till, state, vars }: WorkerPlace): readonly string[] => {
  const { hostname, port } = new URL(url);
  const configurations = ['-c', 'wrangler.jsonc', '-c', till];
  const places = ['--ip', hostname, '--port', port, '--persist-to', state, '--env-file', vars];
  return ['dev', ...configurations, ...places, '--show-interactive-dev-session=false'];
};

/** Starts and ends the process, which leads a group of its own. */
export class WorkerProcess {
  readonly #place: WorkerPlace;
  #child: ChildProcess | undefined;

  constructor(place: WorkerPlace) {
    this.#place = place;
    process.once('exit', this.#killGroup);
  }

  /** Resolves when the Worker responds. */
  async start(): Promise<void> {
    const { folder, url, log, errors } = this.#place;
    const child = spawn(join(root, 'node_modules/.bin/wrangler'), argumentsOf(this.#place), {
      cwd: folder,
      env: { ...process.env, WRANGLER_LOG: 'log' },
      detached: true,
      stdio: ['ignore', openSync(log, 'a'), errors ?? 'pipe'],
    });
    this.#child = child;
    if (child.stderr) void tell(child.stderr);
    for (const start = performance.now(); performance.now() - start < LONGEST_START_MS; ) {
      if (child.exitCode !== null) break;
      if (await respondsAt(url)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the Worker did not start');
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid, signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.end('SIGTERM');
    process.off('exit', this.#killGroup);
  }

  readonly #killGroup = (): void => void this.end('SIGKILL');
}
