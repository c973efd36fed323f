// The command that puts the service on a port, as a process; spoken to over plain HTTP.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../../dist/cli/loopback.js';
import { after } from '#test';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));
export const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: { paystate: string };
  version: string;
};
export const CONTROL = { 'x-paystate-control': '1' };

/** Each test has a command of its own, which mostly starts and waits. */
export const AT_ONCE = { concurrency: 3 };

export interface Command {
  readonly child: ChildProcess;
  readonly url: string;
  readonly key: string;
  /** What it wrote to stderr. */
  complaints(): string;
}

const children = new Set<ChildProcess>();
after(() => {
  for (const child of children) child.kill('SIGKILL');
}); // whatever a test that failed has left behind

export type Env = Readonly<Record<string, string>>;

/** What every process has: the programs of this machine, and what Node has compiled of the command. */
const { PATH, NODE_COMPILE_CACHE } = process.env;
const BARE = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };

export const runs = (args: readonly string[], env?: Env): ChildProcess => {
  const child = spawn(process.execPath, [join(root, bin.paystate), ...args], {
    cwd: root,
    timeout: 60_000,
    ...(env && { env: { ...BARE, ...env } }),
  });
  children.add(child);
  return child;
};

/** What a command that has ended said. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

export const outcomeOf = async (child: ChildProcess): Promise<Outcome> => {
  let [output, complaints] = ['', ''];
  child.stdout!.on('data', (text) => (output += text));
  child.stderr!.on('data', (text) => (complaints += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, complaints };
};

/** Runs a command until it ends, with nothing in its environment but what is given. */
export const outcome = (args: readonly string[], env: Env = {}): Promise<Outcome> =>
  outcomeOf(runs(args, env));

/** A receiver of webhooks, and what lets the command see its work. */
export interface Trial {
  readonly url: string;
  readonly secret: string;
  /** Makes something that the receiver works on; resolves to its id. */
  event(): Promise<string>;
  /** How often the receiver has worked on it. */
  effects(id: string): number | Promise<number>;
}

/** What `paystate torture` says of a receiver. */
export async function tryByCommand({ url, secret, event, effects }: Trial): Promise<Outcome> {
  const seen = await serve(async (request: Request) => {
    const id = new URL(request.url).searchParams.get('id');
    return new Response(id === null ? await event() : `${await effects(id)}`);
  });
  const args = ['--event', `${seen.url}/event`, '--effects', `${seen.url}/effects?id={id}`];
  try {
    return await outcome(['torture', url, ...args], { PAYSTATE_WEBHOOK_SECRET: secret });
  } finally {
    await seen.close();
  }
}

/** The environment of who works with this sandbox. */
export const envOf = ({ url, key }: Pick<Command, 'url' | 'key'>): Env => ({
  PAYSTATE_BASE_URL: url,
  PAYSTATE_API_KEY: key,
});

/** Whether this machine has a program that makes terminals. */
export const hasTerminals: boolean = spawnSync('script', ['--version']).status === 0;

/** The same command in a terminal of its own, where the machine can make one. */
export const inTerminal = (args: readonly string[], env: Env): ChildProcess => {
  const words = [process.execPath, join(root, bin.paystate), ...args];
  const line = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `exec ${line}`, '/dev/null'], {
    cwd: root,
    timeout: 60_000,
    env: { ...BARE, TERM: 'xterm', ...env },
  });
  children.add(child);
  return child;
};

/** Starts the command and waits until it says that it is ready. */
export const started = async (...args: readonly string[]): Promise<Command> => {
  const child = runs(['sandbox', ...args]);
  let complaints = '';
  child.stderr!.on('data', (text) => (complaints += text));
  let output = '';
  for await (const text of child.stdout!) if (/control/.test((output += text))) break;
  const [, url = '', key = ''] =
    /^paystate sandbox: (http:\/\/127\.0\.0\.1:\d+)\n +API key +(\S+)(?: +of \S+)?\n/.exec(
      output,
    ) ?? [];
  return { child, url, key, complaints: () => complaints };
};

export const ended = async (
  { child }: Command,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<unknown> => {
  const closed = once(child, 'close');
  child.kill(signal);
  return (await closed)[0];
};

export const withCommand = async (
  use: (command: Command) => Promise<void>,
  ...args: readonly string[]
): Promise<void> => {
  const command = await started(...args);
  try {
    await use(command);
  } finally {
    command.child.kill('SIGKILL');
  }
};

/** What JSON holds, as loosely as a stranger takes it. */
export type Json = Readonly<Record<string, unknown>>;

export const listOf = (body: unknown): readonly Json[] => body as readonly Json[];

export type Ask = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<{ status: number; headers: Headers; body: Json }>;

export const askOf =
  ({ url, key }: Pick<Command, 'url' | 'key'>): Ask =>
  async (method, path, body, headers = {}) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: /^[{[]/.test(text) ? JSON.parse(text) : text,
    };
  };
