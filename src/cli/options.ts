import { parseArgs } from 'node:util';
import { looksReal } from '../sandbox/host/real-keys.ts';
import { type BehaviourId, behaviours, type Strictness } from '../sandbox/index.ts';

/** Options of the command's sandbox; what is absent has its default, or the value of the file. */
export interface SandboxTask {
  readonly is: 'sandbox';
  readonly port: number;
  readonly seed: string | undefined;
  readonly rateLimits: 'production' | 'test' | undefined;
  readonly allowHosts: readonly string[];
  /** A file that keeps the world. */
  readonly state: string | undefined;
  /** A file with the accounts. */
  readonly accounts: string | undefined;
  /** What responses may rest on. */
  readonly strict: Strictness | undefined;
}

/** What the command line asks for. */
export type Task =
  | { readonly is: 'help' | 'version' }
  | { readonly is: 'wrong'; readonly why: string }
  | SandboxTask;

/** Reads the arguments after the command's name. */
export function taskOf(args: readonly string[]): Task {
  try {
    return read(args);
  } catch (thrown) {
    return {
      is: 'wrong',
      why: thrown instanceof Error ? thrown.message : 'these arguments cannot be read',
    };
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  port: { type: 'string' },
  seed: { type: 'string' },
  'rate-limits': { type: 'string' },
  state: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  accounts: { type: 'string' },
  strict: { type: 'boolean' },
  assume: { type: 'string', multiple: true },
} as const;

const wrong = (why: string): Task => ({ is: 'wrong', why });

function read(args: readonly string[]): Task {
  if (args.flatMap((arg) => arg.split('=')).some((text) => looksReal(`Bearer ${text}`)))
    return wrong(
      'one of these arguments looks like a real key; a sandbox makes its own, and others of this machine see command lines',
    );
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) return { is: 'help' };
  if (values.version) return { is: 'version' };
  const [command, ...more] = positionals;
  if (command === undefined) return wrong('a command is missing');
  if (command !== 'sandbox' || more.length > 0)
    return wrong(`there is no command "${positionals.join(' ')}"`);
  const {
    port = '0',
    seed,
    'rate-limits': rateLimits,
    state,
    'allow-host': allowHosts = [],
    accounts,
  } = values;
  if (!/^\d{1,5}$/.test(port) || +port > 65_535)
    return wrong('--port must be a number from 0 to 65535');
  if (rateLimits !== undefined && rateLimits !== 'production' && rateLimits !== 'test')
    return wrong('--rate-limits must be production or test');
  if (state === '') return wrong('--state must be the path of a file');
  if (accounts === '') return wrong('--accounts must be the path of a file');
  return {
    is: 'sandbox',
    port: +port,
    seed,
    rateLimits,
    state,
    allowHosts,
    accounts,
    strict: strictnessOf(values),
  };
}

interface StrictOptions {
  readonly strict?: boolean | undefined;
  readonly assume?: readonly string[] | undefined;
}

/** Absent where responses may rest on anything. */
function strictnessOf({ strict = false, assume = [] }: StrictOptions): Strictness | undefined {
  const stranger = assume.find((id) => !Object.hasOwn(behaviours.assumed, id));
  if (stranger !== undefined) throw new Error(`--assume: no assumed behaviour is "${stranger}"`);
  if (assume.length > 0 && !strict) throw new Error('--assume says what --strict lets pass');
  if (!strict) return undefined;
  return assume.length === 0 ? true : { allow: assume as readonly BehaviourId[] };
}
