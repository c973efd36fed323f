// Plays commands against model and sandbox, and says what was reached.
import fc from 'fast-check';
import type { SandboxOptions } from 'paystate/sandbox';
import { invoiceCommands } from './commands-invoices.ts';
import {
  bankCommands,
  exchangeCommands,
  manyCommands,
  transferCommands,
} from './commands-money.ts';
import { paymentCommands } from './commands-payments.ts';
import { receiveCommands, subscriptionCommands, worldCommands } from './commands-world.ts';
import type { Command, Kind } from './command.ts';
import { begin, type Meter } from './play.ts';
import { prepare } from './prepared.ts';
import { Real } from './real.ts';

const all = [
  ...invoiceCommands,
  ...paymentCommands,
  ...receiveCommands,
  ...exchangeCommands,
  ...bankCommands,
  ...transferCommands,
  ...subscriptionCommands,
  ...worldCommands,
];
const only = (names: RegExp): readonly Kind[] => all.filter(({ name }) => names.test(name));

/** Whole stories of one kind, so that their ends are reached too, and mixed ones. */
const stories: readonly (readonly Kind[])[] = [
  [...invoiceCommands, ...worldCommands],
  [...paymentCommands, ...invoiceCommands, ...receiveCommands, ...worldCommands],
  [...paymentCommands, ...paymentCommands, ...worldCommands],
  [...exchangeCommands, ...exchangeCommands, ...worldCommands],
  [...bankCommands, ...transferCommands, ...transferCommands, ...worldCommands],
  [...subscriptionCommands, ...invoiceCommands, ...worldCommands],
  all,
  only(/^(somebody asks|quote lightning|execute payment|move payment|advance)/),
  only(
    /^(create receive|create invoice|quote (invoice|lightning|onchain)|execute payment|move (payment|receive|invoice)|somebody pays|reverse|cancel|advance)/,
  ),
  only(/^(create (deposit|payout)|initiate|return|move (deposit|payout)|find limits|advance|fund)/),
  [
    ...manyCommands,
    ...only(/^(create bank method|create (deposit|payout)|initiate|find limits|advance)/),
  ],
];

const MOST = 50;
const listOf = (story: readonly Kind[]): fc.Arbitrary<Iterable<Command>> =>
  fc.commands(
    story.map(({ drawn }) => drawn),
    { maxCommands: MOST, size: 'max' },
  );
const anyList: fc.Arbitrary<Iterable<Command>> = fc.oneof(...stories.map(listOf));

/** Now and then few requests are enough for a block. */
const tight: Readonly<Record<string, Meter>> = {
  invoices: { limit: 3, window: 60_000, block: 60_000 },
  'invoice-quotes': { limit: 2, window: 60_000, block: 60_000 },
  'payment-quotes': { limit: 3, window: 60_000, block: 60_000 },
  execute: { limit: 2, window: 60_000, block: 60_000 },
};
const wide: Meter = { limit: 1_000_000, window: 60_000, block: 60_000 };
const limitsOf = (isTight: boolean): SandboxOptions['rateLimits'] =>
  ({
    invoices: wide,
    'invoice-quotes': wide,
    'payment-quotes': wide,
    execute: wide,
    rates: wide,
    others: wide,
    ...(isTight && tight),
  }) as SandboxOptions['rateLimits'];

export interface Played {
  readonly runs: number;
  readonly commands: number;
  readonly reached: ReadonlySet<string>;
  /** What fast-check says of the first difference; absent where there is none. */
  readonly difference?: string;
}

const play = async (cmds: Iterable<Command>, seed: number): Promise<Real> => {
  const isTight = seed % 8 === 0;
  const real = new Real(seed, limitsOf(isTight));
  const model = await begin(real, isTight ? tight : undefined);
  if (seed % 3 === 0) await prepare({ model, real });
  await fc.asyncModelRun(() => ({ model, real }), cmds);
  return real;
};

/** What is different, and how to see it again. */
export const reportOf = <T>(details: fc.RunDetails<T>): string =>
  `${(details.errorInstance as Error | null)?.message}\n${fc.defaultReportMessage(details)!}`;

/** Which lists of commands are played. */
export interface Choice {
  /** A single list, by the beginning of a report's path. */
  readonly path?: string | undefined;
  /** Commands with these names only; the first difference is not made smaller. */
  readonly names?: RegExp | undefined;
}

/**
 * Plays `runs` lists of commands. A seed brings all of them back.
 * Every 16th is played twice: the same calls must give the same bytes.
 */
export const playAll = async (
  seed: number,
  runs: number,
  { path, names }: Choice = {},
): Promise<Played> => {
  const commands = names ? listOf(only(names)) : anyList;
  const reached = new Set<string>();
  let played = 0;
  const property = fc.asyncProperty(commands, fc.nat(1_000_000), async (cmds, world) => {
    const real = await play(cmds, world);
    played += real.commands;
    for (const one of real.reached) reached.add(one);
    if (world % 16 !== 1) return;
    const again = await play(cmds, world);
    if (again.transcript.join('\n') !== real.transcript.join('\n'))
      throw new Error('the same calls gave other bytes');
  });
  const details = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: names !== undefined,
    ...(path !== undefined && { path: path.split(':')[0]! }),
  });
  return {
    runs: details.numRuns,
    commands: played,
    reached,
    ...(details.failed && { difference: reportOf(details) }),
  };
};
