// Holds one state of the search: the row, the service, the network and the processes; and lists of facts by number.
import { acceptedAnswer, answeredFacts, isCertain } from '../../../src/flows/pay/answers.ts';
import type { Fact, MoveRow, View } from '../../../src/flows/pay/facts.ts';
import { joinFacts, readView } from '../../../src/flows/pay/facts.ts';
import { giveBack, compact, withHold } from '../../../src/flows/pay/limits.ts';
import { type Me, nextStep, type Step } from '../../../src/flows/pay/next.ts';
import { RULES, type RailRules, chooseRules } from '../../../src/flows/pay/rules.ts';
import type { Happening } from '../../../src/flows/pay/facts.ts';
import type { Answer } from '../../../src/flows/pay/rail.ts';
import { objectionOfOther } from '../../../src/flows/pay/refund-numbers.ts';
import type { Service } from './service.ts';
import type { Budget, Way } from './ways.ts';

/** The functions that are searched, and habits of the shell; a mistake replaces some. */
export interface Core {
  readonly viewOf: typeof readView;
  readonly joinFacts: typeof joinFacts;
  readonly nextStep: typeof nextStep;
  readonly withHold: typeof withHold;
  readonly compact: typeof compact;
  readonly giveBack: typeof giveBack;
  readonly objectionOfOther: typeof objectionOfOther;
  readonly answeredFacts: typeof answeredFacts;
  readonly acceptedAnswer: typeof acceptedAnswer;
  readonly isCertain: typeof isCertain;
  readonly rules: Readonly<Record<string, RailRules>>;
  readonly sendsBeforeCommit?: boolean;
  readonly decidesOnce?: boolean;
  readonly stopsInMemory?: boolean;
  readonly tellsBeforeStored?: boolean;
  readonly claimsNothing?: boolean;
  readonly keysByIntent?: boolean;
}

export const REAL: Core = {
  viewOf: readView,
  joinFacts,
  nextStep,
  rules: RULES,
  withHold,
  compact,
  giveBack,
  objectionOfOther,
  answeredFacts,
  acceptedAnswer,
  isCertain,
};

/** A row in the store: `facts` is the number of a list. */
interface Stored {
  readonly by: string;
  readonly at: number;
  readonly facts: number;
}

/** What an intent may hold: the reservations of all of them. */
type Reserved = Parameters<typeof withHold>[0];

/** The journal: a row for each intent, names that intents have claimed, and reservations. */
export interface Store {
  readonly rows: readonly (Stored | null)[];
  /** In the order of the names. */
  readonly names: readonly (readonly [name: string, holder: string])[];
  readonly reserved: Reserved;
}

export const NEW_STORE: Store = {
  rows: [null, null],
  names: [],
  reserved: { spent: '0', held: [] },
};

/** What a process does between two looks at the row. */
type Doing =
  | { readonly is: 'run' | 'told' }
  /** `count`: the number of a refund's key, which it has claimed; `isHeld`: its part is reserved. */
  | { readonly is: 'ask'; readonly n: number; readonly count?: number; readonly isHeld?: boolean }
  | {
      readonly is: 'agreed';
      readonly n: number;
      readonly id: string;
      readonly endsAt: number;
      readonly isHeld?: boolean;
    }
  | {
      readonly is: 'answer';
      readonly n: number;
      readonly send: number;
      readonly answer: Answer;
    }
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
  /** Which of the intents it works for. */
  readonly intent: number;
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
  readonly intent: number;
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
  readonly store: Store;
  /** What was stored before the last commits of this instant. */
  readonly before: readonly Store[];
  /** How many intents were begun. */
  readonly intents: number;
  readonly service: Service;
  readonly late: readonly Late[];
  readonly processes: readonly Process[];
  readonly names: number;
  readonly left: Budget;
  readonly told: readonly {
    readonly as: string;
    readonly round: number;
    readonly intent: number;
    /** The movement that it names. */
    readonly id?: string | undefined;
  }[];
  /** The row was lost, and nobody was told so. */
  readonly isLost?: boolean | undefined;
  /** The line of "What cannot be known" that excuses what follows. */
  readonly excuse?: string | undefined;
}

export const rowOf = ({ store }: World, { intent }: { readonly intent: number }): Stored | null =>
  store.rows[intent] ?? null;

/** The names of the intents. */
export const INTENTS = ['x', 'y'] as const;

export const holderOf = ({ store }: World, name: string): string | undefined =>
  store.names.find(([one]) => one === name)?.[1];

/** The world after another commit. */
export function stored(world: World, change: Partial<Store>): World {
  const before = [...world.before, world.store].slice(-2);
  return { ...world, store: { ...world.store, ...change }, before };
}

/** Claims a name for an intent; `undefined` where it is another's. */
export function claimed(world: World, name: string, holder: string): World | undefined {
  const found = holderOf(world, name);
  if (found === holder) return world;
  if (found !== undefined) return undefined;
  const names = [...world.store.names, [name, holder] as const];
  names.sort(([a], [b]) => (a < b ? -1 : 1));
  return stored(world, { names });
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
    const { rail, isRefund } = this.way;
    return isRefund ? chooseRules(this.#order()) : this.core.rules[rail]!;
  }

  #order(): MoveRow['order'] {
    const { rail, isRefund } = this.way;
    return { rail, ...(isRefund && { refundOf: 'invoice/1' }) } as MoveRow['order'];
  }

  /** The stored row as the journal gives it to the limits. */
  row(world: World, intent: number): MoveRow | undefined {
    const found = rowOf(world, { intent });
    if (!found) return undefined;
    const facts = factsOf(found.facts);
    const last = facts.findLast(({ is }) => is === 'moved');
    const isBroadcast = this.way.confirm > 0 && last?.is === 'moved' && last.state === 'failed';
    const movement = isBroadcast && { state: 'FAILED', onchain: { txnId: 't' } };
    const { by, at } = found;
    const row = { by, at, facts, intent: INTENTS[intent]!, order: this.#order() };
    return { ...row, ...(movement && { movement }) } as unknown as MoveRow;
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
    const row = rowOf(world, process);
    const base = row ?? process.base ?? { by: process.by, at: this.clock(world, process) };
    const facts = this.join(row?.facts ?? 0, process.known);
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
