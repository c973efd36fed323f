import type { Terminal } from './terminal.ts';

/**
 * The exit codes of the process. A script can tell what is worth repeating: `unreachable` and
 * `limited` are, `refused` is not, and after `unknown` a person has to look first.
 */
export const EXIT = {
  ok: 0,
  /** It was done, and what was found is not right; or it could not be done. */
  failed: 1,
  /** The command line or the environment is wrong; nothing was sent. */
  usage: 2,
  unreachable: 3,
  /** The service refused, or the key was refused. */
  refused: 4,
  /** A command was sent, and it is not known whether it was done. */
  unknown: 5,
  /** The rate limit blocks. */
  limited: 6,
  interrupted: 130,
} as const;

/** One option of a command. */
interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  /** The name of its value in the help, such as `URL`. */
  readonly value?: string;
  /** One line for the help. */
  readonly help: string;
}

export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** The values that were given for the options: texts, flags and lists of texts. */
export type Given = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command of `paystate`; each is a file in `commands/`. */
export interface Command {
  /** The words after `paystate` in the help, such as `tail [options]`. */
  readonly usage: string;
  /** Says what it does; the first line is for the overview. */
  readonly about: string;
  readonly options: CommandOptions;
  /** The most words that may follow its name; none where absent. */
  readonly words?: number;
  /** It goes on when its output is read no more, as by a pipe that was closed. */
  readonly outlivesReader?: boolean;
  /** Resolves to what the process ends with. */
  run(given: Given, words: readonly string[], terminal: Terminal): Promise<number>;
}

/** The command cannot be done as it was asked for; nothing was sent. */
export class UsageError extends Error {}

/** The text that was given for an option. */
export function textOption(given: Given, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** All texts that were given for an option. */
export function listOption(given: Given, name: string): readonly string[] {
  const value = given[name];
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

/** A whole number that was given for an option. */
export function countOption(given: Given, name: string, most: number): number | undefined {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text) || +text > most)
    throw new UsageError(`--${name} must be a number from 0 to ${most}`);
  return +text;
}
