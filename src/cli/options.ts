import { parseArgs } from 'node:util';
import type { SandboxOptions } from '../sandbox/model.ts';

/** What the command line asks for. */
export type Task =
  | { readonly is: 'help' | 'version' }
  | { readonly is: 'wrong'; readonly why: string }
  | { readonly is: 'sandbox'; readonly port: number; readonly options: SandboxOptions };

/** Reads the arguments after the command's name. */
export function taskOf(args: readonly string[]): Task {
  try {
    return read(args);
  } catch (thrown) {
    return { is: 'wrong', why: thrown instanceof Error ? thrown.message : 'these arguments cannot be read' };
  }
}

function read(args: readonly string[]): Task {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'help': { type: 'boolean', short: 'h' },
      'version': { type: 'boolean', short: 'v' },
      'port': { type: 'string' },
      'seed': { type: 'string' },
      'limits': { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
    },
  });
  if (values['help']) return { is: 'help' };
  if (values['version']) return { is: 'version' };
  const [command, ...more] = positionals;
  if (command !== 'sandbox' || more.length > 0) return { is: 'wrong', why: command === undefined ? 'a command is missing' : `there is no command "${positionals.join(' ')}"` };
  const { port = '0', seed = '1', limits = 'production' } = values as Readonly<Record<string, string>>;
  if (!/^\d{1,5}$/.test(port) || +port > 65_535) return { is: 'wrong', why: '--port must be a number from 0 to 65535' };
  if (limits !== 'production' && limits !== 'test') return { is: 'wrong', why: '--limits must be production or test' };
  const allowHosts = (values['allow-host'] ?? []) as readonly string[];
  return { is: 'sandbox', port: +port, options: { seed, limits, clock: 'real', deliver: 'network', allowHosts } };
}
