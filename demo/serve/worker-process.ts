// The process of the example's Worker: wrangler, with the Worker that pays back next to it.
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
  /** The configuration of the Worker that pays back. */
  readonly till: string;
  readonly state: string;
  /** The file with what the Worker is told. */
  readonly vars: string;
  readonly log: string;
  readonly errors?: number;
}

/**
 * The notice that crons do not run by themselves on this machine, line by line; the back office
 * compares by a button.
 */
const CRON_NOTICE = [
  /Scheduled Workers are not automatically triggered during local development/,
  /^ *To manually trigger a scheduled event, run:$/,
  /^ *curl "[^"]*\/scheduled"$/,
  /^ *For more details, see .*cron-triggers/,
];

/**
 * Says of one line after the other whether it belongs to that notice; the empty lines in and after
 * it do.
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

/** Passes on what the process reports as errors. */
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
