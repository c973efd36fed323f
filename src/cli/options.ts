import {
  type Assumptions,
  type BehaviourId,
  behaviours,
  type Strictness,
} from '../sandbox/index.ts';
import { readAssumptions } from '../sandbox/host/option-schemas.ts';
import {
  type CommandOptions,
  countOption,
  type Given,
  listOption,
  textOption,
  UsageError,
} from './command.ts';

/** Options of the command's sandbox; what is absent has its default, or the value of the file. */
export interface SandboxTask {
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
  /** What the service does where nobody knows. */
  readonly assume: Assumptions | undefined;
  /** Opens the page. */
  readonly open: boolean;
}

export const SANDBOX_OPTIONS: CommandOptions = {
  port: { type: 'string', value: 'N', help: 'port on 127.0.0.1; any free one' },
  open: { type: 'boolean', help: 'opens its page in the browser' },
  seed: {
    type: 'string',
    value: 'S',
    help: 'the same seed makes the same key, ids and rates; drawn at each start',
  },
  state: {
    type: 'string',
    value: 'FILE',
    help: 'keeps everything there, so that the next start goes on with it; for one sandbox at a time',
  },
  'rate-limits': {
    type: 'string',
    value: 'NAME',
    help: 'rate table: production or test; production',
  },
  accounts: {
    type: 'string',
    value: 'FILE',
    help: 'a JSON list of accounts, each with a handle, and what else it needs; one with the handle shop',
  },
  strict: {
    type: 'boolean',
    help: 'a response that rests on an assumption is 422 SANDBOX_ASSUMPTION, which names it',
  },
  allow: {
    type: 'string',
    multiple: true,
    value: 'ID',
    help: 'with --strict: lets this assumption pass',
  },
  assume: {
    type: 'string',
    multiple: true,
    value: 'ID=VALUE',
    help: 'what the service does where nobody knows, such as exchanges.fee=none; its page lists all',
  },
  'allow-host': {
    type: 'string',
    multiple: true,
    value: 'H',
    help: 'webhooks may go to this host too; only to this machine else',
  },
};

/** Reads the options of `paystate sandbox`. */
export function sandboxTask(given: Given): SandboxTask {
  const rateLimits = textOption(given, 'rate-limits');
  if (rateLimits !== undefined && rateLimits !== 'production' && rateLimits !== 'test')
    throw new UsageError('--rate-limits must be production or test');
  for (const name of ['state', 'accounts'])
    if (textOption(given, name) === '')
      throw new UsageError(`--${name} must be the path of a file`);
  return {
    port: countOption(given, 'port', 65_535) ?? 0,
    seed: textOption(given, 'seed'),
    rateLimits,
    state: textOption(given, 'state'),
    accounts: textOption(given, 'accounts'),
    allowHosts: listOption(given, 'allow-host'),
    strict: strictnessOf(given['strict'] === true, listOption(given, 'allow')),
    assume: assumptionsOf(listOption(given, 'assume')),
    open: given['open'] === true,
  };
}

/** Absent where responses may rest on anything. */
function strictnessOf(strict: boolean, allow: readonly string[]): Strictness | undefined {
  const stranger = allow.find((id) => !Object.hasOwn(behaviours.assumed, id));
  if (stranger !== undefined)
    throw new UsageError(`--allow: no assumed behaviour is "${stranger}"`);
  if (allow.length > 0 && !strict) throw new UsageError('--allow says what --strict lets pass');
  if (!strict) return undefined;
  return allow.length === 0 ? true : { allow: allow as readonly BehaviourId[] };
}

/** Absent where all is as usual. */
function assumptionsOf(given: readonly string[]): Assumptions | undefined {
  if (given.length === 0) return undefined;
  const pairs = given.map((text) => text.split('='));
  if (pairs.some((pair) => pair.length !== 2))
    throw new UsageError('--assume must be ID=VALUE, such as exchanges.fee=none');
  try {
    return readAssumptions(Object.fromEntries(pairs));
  } catch (thrown) {
    throw new UsageError(`--assume: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}
