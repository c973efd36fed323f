// Holds one state of the search: the row, the service, the network and the processes; and lists of facts by number.
import type { Fact, View } from '../../../src/flows/pay/facts.ts';
import { joinFacts, viewOf } from '../../../src/flows/pay/facts.ts';
import { type Me, nextStep, type Step } from '../../../src/flows/pay/next.ts';
import { RULES, type RailRules } from '../../../src/flows/pay/rules.ts';
import type { Happening } from '../../../src/flows/pay/facts.ts';
import type { Service } from './service.ts';
import type { Budget, Way } from './ways.ts';

/** The functions that are searched, and habits of the shell; a mistake replaces some. */
export interface Core {
  readonly viewOf: typeof viewOf;
  readonly joinFacts: typeof joinFacts;
  readonly nextStep: typeof nextStep;
  readonly rules: Readonly<Record<string, RailRules>>;
  readonly sendsBeforeCommit?: boolean;
  readonly decidesOnce?: boolean;
  readonly stopsInMemory?: boolean;
  readonly tellsBeforeStored?: boolean;
}

export const REAL: Core = { viewOf, joinFacts, nextStep, rules: RULES };

/** A row in the store: `facts` is the number of a list. */
interface Stored {
  readonly by: string;
  readonly at: number;
  readonly facts: number;
}

/** What a process does between two looks at the row. */
type Doing =
  | { readonly is: 'run' | 'told' }
  | { readonly is: 'ask'; readonly n: number }
  | { readonly is: 'agreed'; readonly n: number; readonly id: string; readonly endsAt: number }
  | {
      readonly is: 'hand' | 'wait';
      readonly n: number;
      readonly send: number;
      readonly id: string;
      readonly at: number;
    }
  | { readonly is: 'means'; readonly facts: readonly Happening[]; readonly then: Doing }
  | { readonly is: 'got'; readonly facts: readonly Happening[] };

export interface Process {
  readonly by: string;
  readonly i: number;
  /** The row as this process knows it, also where the store has forgotten it. */
  readonly base?: { readonly by: string; readonly at: number } | undefined;
  readonly known: number;
  readonly doing: Doing;
  readonly isRestart: boolean;
  readonly isLooking: boolean;
  readonly restoredFrom?: number | undefined;
  readonly isStopped?: boolean | undefined;
  /** It searches once more for what ended as unknown. */
  readonly isReopening?: boolean | undefined;
}

/** A request that the network still has. */
export interface Late {
  readonly is: 'send' | 'ask';
  readonly by: string;
  readonly at: number;
  readonly n: number;
  readonly send: number;
  readonly id: string;
  readonly round: number;
}

export interface World {
  readonly now: number;
  readonly ticks: number;
  readonly row: Stored | null;
  /** The rows before the last commits of this instant. */
  readonly before: readonly (Stored | null)[];
  readonly service: Service;
  readonly late: readonly Late[];
  readonly processes: readonly Process[];
  readonly names: number;
  readonly left: Budget;
  readonly told: readonly { readonly as: string; readonly round: number }[];
  /** The row was lost, and nobody was told so. */
  readonly isLost?: boolean | undefined;
  /** The line of "What cannot be known" that excuses what follows. */
  readonly excuse?: string | undefined;
}

let listed: (readonly Fact[])[] = [[]];
let numbers = new Map<string, number>([['', 0]]);
let factNumbers = new Map<string, number>();
let keysOfLists: string[] = [''];
let facts = new Map<Fact, number>();
let shared = new Map<string, Fact>();

/** Forgets the lists of an earlier search. */
export function forgetLists(): void {
  listed = [[]];
  numbers = new Map([['', 0]]);
  factNumbers = new Map();
  keysOfLists = [''];
  facts = new Map();
  shared = new Map();
}

function numberOf(fact: Fact): number {
  const known = facts.get(fact);
  if (known !== undefined) return known;
  const text = JSON.stringify(fact);
  let number = factNumbers.get(text);
  if (number === undefined) {
    number = factNumbers.size + 1;
    factNumbers.set(text, number);
    shared.set(text, fact);
  }
  facts.set(fact, number);
  return number;
}

/** The number of a list of facts. */
export function listOf(list: readonly Fact[]): number {
  const key = list.map(numberOf).join();
  let number = numbers.get(key);
  if (number === undefined) {
    number = listed.length;
    listed.push(list.map((fact) => shared.get(JSON.stringify(fact)) ?? fact));
    keysOfLists.push(key);
    numbers.set(key, number);
  }
  return number;
}

export const factsOf = (list: number): readonly Fact[] => listed[list]!;

/** A list by its content, so that a state is the same in every run. */
export const keyOf = (list: number): string => keysOfLists[list]!;

export interface Decided {
  /** The stored facts and what the process knows beside them. */
  readonly facts: number;
  readonly view: View;
  readonly step: Step;
  /** The time by the clock of the process. */
  readonly now: number;
}

/** A process searches once more for what has ended as unknown, and no more. */
function hasSearched(list: readonly Fact[], by: string): boolean {
  const end = list.findLastIndex(({ is }) => is === 'over');
  return list.slice(end + 1).some((one) => one.by === by && /^(found|cleared)$/.test(one.is));
}

/** Remembers what the pure functions say, for one core. */
export class Mind {
  readonly #joined = new Map<string, number>();
  readonly #decided = new Map<string, Decided>();
  readonly core: Core;
  readonly way: Way;

  constructor(core: Core, way: Way) {
    this.core = core;
    this.way = way;
  }

  rules(): RailRules {
    return this.core.rules[this.way.rail]!;
  }

  join(stored: number, known: number): number {
    if (stored === known || known === 0) return stored;
    const key = `${stored},${known}`;
    let joined = this.#joined.get(key);
    if (joined === undefined) {
      joined = listOf(this.core.joinFacts(factsOf(stored), factsOf(known)));
      this.#joined.set(key, joined);
    }
    return joined;
  }

  /** The time by the process's own clock. */
  clock(world: World, process: Process): number {
    return world.now + (this.way.skews?.['abcdefgh'.indexOf(process.by)] ?? 0);
  }

  decide(world: World, process: Process): Decided {
    const base = world.row ?? process.base ?? { by: process.by, at: this.clock(world, process) };
    const facts = this.join(world.row?.facts ?? 0, process.known);
    const me: Me = {
      by: process.by,
      now: this.clock(world, process),
      isTimed: this.way.skews === undefined,
      isRestart: process.isRestart,
      isOnlyLooking: process.isLooking,
      restoredFrom: process.restoredFrom,
      isReopening: process.isReopening === true && !hasSearched(factsOf(facts), process.by),
      seesProcessedFirst: this.way.checks === 'learned',
    };
    const { by, now, isRestart, isOnlyLooking, restoredFrom } = me;
    const flags = `${process.isStopped},${process.isReopening},${isRestart},${isOnlyLooking},${restoredFrom}`;
    const key = `${facts},${base.by},${base.at},${by},${now},${flags}`;
    let decided = this.#decided.get(key);
    if (!decided) {
      const seen = this.core.viewOf({ by: base.by, at: base.at, facts: factsOf(facts) });
      const view = process.isStopped ? { ...seen, stopped: true } : seen;
      decided = { facts, view, step: this.core.nextStep(view, this.rules(), me), now };
      if (this.#decided.size > 3e6) this.#decided.clear();
      this.#decided.set(key, decided);
    }
    return decided;
  }
}
