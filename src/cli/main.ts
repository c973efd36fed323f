#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createSandbox } from '../sandbox/index.ts';
import type { SandboxOptions } from '../sandbox/model.ts';
import { helpText } from './help.ts';
import { type Task, taskOf } from './options.ts';
import { serveSandbox } from './serve-sandbox.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`paystate: ${text}\n`);

/** Serves until the process is asked to end. */
async function runSandbox(port: number, options: SandboxOptions): Promise<void> {
  const sandbox = createSandbox(options);
  const served = await serveSandbox(sandbox, { port, warn: complain });
  const stop = (): void => void served.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  say(`paystate sandbox: ${served.url}\n  API key  ${sandbox.connection.apiKey}\n  control  ${served.url}/_sandbox/ (paystate --help)`);
}

async function run(task: Task): Promise<void> {
  switch (task.is) {
    case 'help': return void process.stdout.write(helpText());
    case 'version': return say((JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version);
    case 'wrong':
      complain(`${task.why}; see paystate --help`);
      process.exitCode = 2;
      return;
    case 'sandbox': return runSandbox(task.port, task.options);
  }
}

await run(taskOf(process.argv.slice(2))).catch((thrown: unknown) => {
  complain(thrown instanceof Error ? thrown.message : 'it cannot go on');
  process.exitCode = 1;
});
