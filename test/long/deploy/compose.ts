// The cookbook's deployment without containers: what its files say is read from them, and its processes run on this machine
// by the command, the environment and the health check of compose.yaml.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../e2e/command.ts';
import { until } from '../../edge/until.ts';

const folder: string = join(root, 'demo/cookbook/deploy');
export const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

export interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly depends_on: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly stop_grace_period: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

// the parser is one of mocha's own dependencies
const fromMocha = createRequire(createRequire(import.meta.url).resolve('mocha/package.json'));
interface Schema {
  withTags(tag: object): Schema;
}
const { CORE_SCHEMA, load, mergeTag } = fromMocha('js-yaml') as {
  readonly CORE_SCHEMA: Schema;
  /** `<<`, which Compose reads too. */
  readonly mergeTag: object;
  load(text: string, options: { readonly schema: Schema }): unknown;
};
const schema = CORE_SCHEMA.withTags(mergeTag);
export const composeFile = load(textOf('compose.yaml'), { schema }) as ComposeFile;

/** Milliseconds of a duration as Compose and Caddy write it, such as `30s`. */
export const millisOf = (duration: string): number => {
  const [, seconds] = /^(\d+)s$/.exec(duration) ?? [];
  if (seconds === undefined) throw new Error(`not a duration in seconds: ${duration}`);
  return Number(seconds) * 1_000;
};

/** Replaces `${NAME:?text}` as Compose does: a variable that is not set ends the start. */
const interpolate = (text: string, vars: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\{(\w+):\?([^}]*)\}/g, (_, name: string, why: string) => {
    const value = vars[name];
    if (!value) throw new Error(`${name} is not set: ${why}`);
    return value;
  });

/** What differs from containers: all of them have this machine's address, and no folder of their own. */
export interface Place {
  /** The variables that a person writes into the file .env. */
  readonly vars: Readonly<Record<string, string>>;
  /** The folder of the secrets, which containers have as /run/secrets. */
  readonly secrets: string;
  /** Where the container `database` listens. */
  readonly database: URL;
}

/** The environment of a service, and nothing of this process but the path to its programs. */
function environmentOf(
  { environment }: Service,
  { vars, secrets, database }: Place,
  port: number,
): Record<string, string> {
  const moved: Record<string, string> = { database: database.hostname, '/run/secrets': secrets };
  const given = Object.entries(environment).map(([name, value]) => {
    const text = interpolate(value, vars);
    return [name, moved[text] ?? text];
  });
  const ports = { PORT: `${port}`, PGPORT: database.port };
  return { PATH: process.env['PATH']!, ...Object.fromEntries(given), ...ports };
}

/** A program of a service that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written so far. */
  output(): string;
  /** Resolves to its exit code, or its signal, when it has ended. */
  readonly ended: Promise<number | string>;
}

const running = new Set<ChildProcess>();

/** Ends what a test that failed has left behind. */
export const killAll = (): void => running.forEach((child) => void child.kill('SIGKILL'));

/** Runs a command in a service's environment, as `docker compose exec` does. */
export function run(
  service: Service,
  place: Place,
  port: number,
  command: readonly string[] = service.command,
): Running {
  const [program = '', ...args] = command;
  const env = environmentOf(service, place, port);
  const child = spawn(program === 'node' ? process.execPath : program, args, { cwd: folder, env });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output += String(text)));
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return (code ?? signal) as number | string;
  });
  return { child, output: () => output, ended };
}

/** Exit code of the service's own health check: 0 where it is healthy. */
export function checkHealth(
  service: Service,
  place: Place,
  port: number,
): Promise<number | string> {
  const [kind, ...command] = service.healthcheck.test;
  if (kind !== 'CMD') throw new Error(`not read: a health check by ${kind}`);
  return run(service, place, port, command).ended;
}

/** Starts a service, and resolves when its health check succeeds, as `docker compose up --wait`. */
export async function start(name: string, place: Place, port: number): Promise<Running> {
  const service = composeFile.services[name]!;
  const started = run(service, place, port);
  await until(`${name} to be healthy`, async () => {
    if (started.child.exitCode !== null) throw new Error(`${name}: ${started.output()}`);
    return (
      started.output().includes('"listening"') && (await checkHealth(service, place, port)) === 0
    );
  });
  return started;
}
