// Searches all interleavings of a way, breadth first, and keeps the shortest trace of every breach.
import type { MoveLimits } from '../../../src/flows/pay/order.ts';
import { findBroadcast, type Happening } from '../../../src/flows/pay/facts.ts';
import {
  arrives,
  changed,
  commit,
  type Move,
  movesOf,
  REQUEST_LIFE_MS,
  requestOf,
  spend,
} from './process.ts';
import { EMPTY, REFUNDED, settle } from './service.ts';
import { keyFor } from './shares.ts';
import type { Budget, Way } from './ways.ts';
import {
  type Core,
  factsOf,
  forgetLists,
  keyOf,
  listOf,
  Mind,
  NEW_STORE,
  type Process,
  REAL,
  rowOf,
  type Store,
  type World,
} from './world.ts';

interface Breach {
  readonly what: string;
  readonly excuse?: string | undefined;
  readonly trace: readonly string[];
}

export interface Found {
  readonly way: string;
  readonly states: number;
  readonly depth: number;
  readonly seconds: number;
  readonly isWhole: boolean;
  readonly ends: Readonly<Record<string, number>>;
  readonly breaches: readonly Breach[];
  readonly excused: Readonly<Record<string, number>>;
}

function newProcess(by: string, change: Partial<Process> = {}): Process {
  return {
    intent: 0,
    by,
    i: 0,
    known: 0,
    doing: { is: 'run' },
    isRestart: false,
    isLooking: false,
    ...change,
  };
}

function firstWorld(way: Way): World {
  return {
    now: 0,
    ticks: way.ticks,
    store: { ...NEW_STORE, rows: [{ by: 'a', at: way.skews?.[0] ?? 0, facts: 0 }, null] },
    before: [NEW_STORE],
    intents: 1,
    service: way.isRefund && (way.most ?? 2) > 1 ? REFUNDED : EMPTY,
    late: [],
    processes: [newProcess('a', { base: { by: 'a', at: way.skews?.[0] ?? 0 } })],
    names: 1,
    left: way,
    told: [],
  };
}

const isLive = ({ doing }: Process): boolean => doing.is !== 'told';

/** Says what is wrong in a world. */
function wrongIn({ service, told }: World, way: Way): string | undefined {
  const live = service.movements.filter(({ state }) => state !== 'failed');
  const isOne = (intent: number) => live.filter((one) => one.intent === intent).length < 2;
  if (!isOne(0) || !isOne(1)) return 'two movements';
  if (live.length > (way.most ?? Infinity)) return 'more than there is';
  const paid = told.flatMap((one) => (one.as === 'paid' ? [`${one.intent}/${one.id}`] : []));
  if (new Set(paid).size > new Set(told.flatMap((one) => (one.as === 'paid' ? [one.id] : []))).size)
    return 'told paid twice for one movement';
  for (const { as, round, intent } of told) {
    const own = service.movements.filter((one) => one.intent === intent);
    if (as === 'refused' || as === 'stopped' || as === 'failed')
      if (own.some((one) => one.state !== 'failed' && !one.mayConfirm && one.round <= round))
        return `told ${as}, and it moved`;
    if (as === 'paid' && !own.some((one) => one.state === 'completed' || one.wasCompleted))
      return 'told paid without a movement';
  }
  return undefined;
}

/** Says which process is about to write an end that is not true. */
function liesOf(world: World, mind: Mind): string | undefined {
  for (const process of world.processes) {
    const live = world.service.movements.filter(
      ({ state, intent, mayConfirm }) =>
        state !== 'failed' && intent === process.intent && !mayConfirm,
    );
    if (live.length === 0) continue;
    const { view, step } = mind.decide(world, process);
    const fact = step.do === 'note' ? step.facts[0] : undefined;
    if (fact?.is !== 'over' || fact.as === 'paid' || fact.as === 'unknown') continue;
    if (live.some(({ round }) => round <= view.round)) return `writes ${fact.as}, and it moved`;
  }
  return undefined;
}

/** The line of "What cannot be known" that excuses a breach. */
function excuseOf(what: string, { excuse, store }: World): string | undefined {
  if (what.includes('end') || what.includes('go')) return undefined;
  if (excuse === 'X4' || excuse === 'copy')
    return (what === 'more than there is') === (excuse === 'X4') ? excuse : undefined;
  if (excuse !== 'X2') return excuse;
  // who met an original knows that something was lost
  const isKnown = store.rows.some((row) =>
    factsOf(row?.facts ?? 0).some(({ is }) => is === 'original'),
  );
  return /^(told|writes) refused/.test(what) && !isKnown ? excuse : undefined;
}

/** Takes up each row that nobody works for. */
function takesUp(world: World, way: Way, kind: Way['restart']): World {
  let next = world;
  for (let intent = 0; intent < world.intents; intent++)
    next = another(next, way, rowOf(world, { intent }) ? kind : 'pay', intent);
  return next;
}

/** A process that takes up a row after others. */
function another(world: World, way: Way, kind: Way['restart'], intent = 0): World {
  const by = 'abcdefgh'[world.names]!;
  const process = newProcess(by, {
    intent,
    isRestart: kind !== 'pay',
    isLooking: kind === 'look',
    ...(way.isDeclared && { restoredFrom: 0 }),
  });
  return { ...world, names: world.names + 1, processes: [...world.processes, process] };
}

function crashes(world: World, process: Process, mind: Mind): readonly Move[] {
  const spent = spend(world, 'crash');
  const dead = { ...spent, processes: spent.processes.filter((one) => one !== process) };
  const moves: Move[] = [[`${process.by} dies`, dead]];
  const { doing, by } = process;
  if (doing.is === 'hand') {
    const request = requestOf(process, mind.decide(world, process).view.round)!;
    moves.push([`${by} dies, its request goes on`, { ...dead, late: [...dead.late, request] }]);
  }
  if (doing.is === 'ask' && mind.rules().isKeyed) {
    const ask = {
      is: 'ask',
      intent: process.intent,
      by,
      at: world.now,
      n: doing.n,
      send: 0,
      id: keyFor(process, doing.n),
      round: 1,
    } as const;
    moves.push([`${by} dies, its ask goes on`, { ...dead, late: [...dead.late, ask] }]);
  }
  return moves;
}

function losses(world: World): readonly Move[] {
  return world.before.map((store, k): Move => {
    const back = world.before.length - k;
    const all = ({ rows }: Store) => rows.flatMap((row) => [...factsOf(row?.facts ?? 0)]);
    const kept = new Set(all(store));
    const isOver = all(world.store).some(
      (fact) => (fact.is === 'over' || fact.is === 'stopped') && !kept.has(fact),
    );
    const isFree = store.reserved.held.length < world.store.reserved.held.length;
    const excuse = isOver && world.told.length > 0 ? 'X1' : isFree ? 'X4' : world.excuse;
    return [`the store forgets ${back}`, { ...spend(world, 'loss'), store, before: [], excuse }];
  });
}

/** Nobody lives, and the row is gone, or is as an older copy of the journal has it. */
function rowLosses(world: World, way: Way): readonly Move[] {
  const isForgetful = way.rail === 'payout' || way.keys !== 'kept';
  const excuse = !way.isDeclared && isForgetful ? 'X3' : world.excuse;
  const isLost = !way.isDeclared;
  const [first] = world.store.rows;
  // whoever was told an end has tried again since
  const round = Math.max(1, ...factsOf(first?.facts ?? 0).map((fact) => fact.round));
  const told = world.told.filter((one) => one.round >= round);
  const lost = { ...spend(world, 'rowLoss'), before: [], excuse, isLost, told };
  const moves: Move[] = [['the journal is lost', { ...lost, store: NEW_STORE }]];
  if (world.intents > 1 || !first) return moves;
  const all = factsOf(first.facts);
  for (let k = 1; k < all.length; k++) {
    const next = all[k]!;
    // these are written in one commit with what is before them
    if (next.is === 'moved' || (next.is === 'sent' && all[k - 1]!.is === 'shown')) continue;
    const rows = [{ ...first, facts: listOf(all.slice(0, k)) }, null];
    const store = { ...NEW_STORE, rows };
    moves.push([`a journal of ${k} facts is restored`, { ...lost, store }]);
  }
  return moves;
}

/** The caller tries again, by the process that told the end or by another one. */
function retries(world: World, mind: Mind): readonly Move[] {
  const spent = spend(world, 'retry');
  const last = world.processes.at(-1)!;
  const fresh = newProcess('abcdefgh'[world.names]!, { intent: last.intent });
  const more = { ...spent, names: world.names + 1, processes: [...world.processes, fresh] };
  return (
    [
      [last, spent],
      [fresh, more],
    ] as const
  ).flatMap(([process, from]): readonly Move[] => {
    const decided = mind.decide(from, process);
    const as = decided.view.over?.as;
    if (as !== 'refused' && as !== 'failed' && as !== 'stopped') return [];
    const row = mind.row(from, process.intent);
    if (row && findBroadcast(row) !== undefined) return [];
    const again = { is: 'again', limits: {} as MoveLimits } as const;
    return [[`${process.by} tries again`, commit(from, process, decided, [again])]];
  });
}

/** A person has looked, and says what has become of a movement that is unknown. */
function verdicts(world: World, mind: Mind): readonly Move[] {
  const process = world.processes.at(-1)!;
  const decided = mind.decide(world, process);
  if (decided.view.over?.as !== 'unknown' || world.late.length > 0) return [];
  const fresh = newProcess('abcdefgh'[world.names]!, {
    intent: process.intent,
    isReopening: true,
    isRestart: true,
  });
  const more = { ...world, names: world.names + 1, processes: [...world.processes, fresh] };
  const moves: Move[] = [['it is searched once more', spend(more, 'verdict')]];
  const live = world.service.movements.find(
    ({ state, intent }) => state !== 'failed' && intent === process.intent,
  );
  const isOpen = world.service.quotes.some(({ endsAt, moved }) => !moved && endsAt > world.now);
  if (!live && isOpen && mind.way.rail !== 'payout') return moves;
  const spent = spend(world, 'verdict');
  const says: readonly Happening[] = live
    ? [
        { is: 'verdict', says: 'paid' },
        { is: 'moved', id: live.id, state: live.state, isSure: true },
      ]
    : [{ is: 'verdict', says: 'not-paid' }];
  const label = `a person says ${live ? 'paid' : 'not paid'}`;
  return [...moves, [label, commit(spent, process, decided, says)]];
}

const SURVIVES_MS = 10_000;

function timeMoves(world: World, way: Way, isDue: boolean): readonly Move[] {
  const now = way.instants.find((at) => at > world.now);
  if (now === undefined || world.ticks === 0 || (isDue && world.left.slow === 0)) return [];
  const late = world.late.filter(({ at }) => now <= at + REQUEST_LIFE_MS);
  // a commit that is so old has survived a failover
  const before = now - world.now < SURVIVES_MS ? world.before : [];
  const next = { ...world, now, ticks: world.ticks - 1, late, before };
  return [[`it is ${now / 1000} s`, isDue ? spend(next, 'slow') : next]];
}

/** All that may happen next. */
function nextWorlds(world: World, way: Way, mind: Mind): readonly Move[] {
  const { left } = world;
  const live = world.processes.filter(isLive);
  const isEnded = live.length === 0 && world.processes.length > 0;
  const moves: Move[] = [];
  let isDue = false;
  for (const process of live) {
    const own = movesOf(world, process, mind);
    if (own.length > 0) isDue = true;
    for (const [label, next] of own) moves.push([`${process.by} ${label}`, next]);
    if (left.crash > 0) moves.push(...crashes(world, process, mind));
    if (left.stop > 0) moves.push(stops(world, process, mind));
  }
  for (const request of world.late) moves.push(arrives(world, request, mind));
  moves.push(...troubles(world, way));
  if (isEnded && left.verdict > 0) moves.push(...verdicts(world, mind));
  if (isEnded) return left.retry > 0 ? [...moves, ...retries(world, mind)] : moves;
  if (world.processes.length === 0 && left.rowLoss > 0) moves.push(...rowLosses(world, way));
  if (left.loss > 0) moves.push(...losses(world));
  if (left.second > 0 && world.processes.length > 0)
    moves.push(['another comes', another(spend(world, 'second'), way, way.restart)]);
  if (world.processes.length === 0)
    moves.push(['it is taken up', takesUp(world, way, way.restart)]);
  moves.push(...timeMoves(world, way, isDue));
  return moves;
}

/** What happens elsewhere: another intent begins, and movements change their ends. */
function troubles(world: World, way: Way): readonly Move[] {
  const { left, service } = world;
  const moves: Move[] = [];
  if (left.other > 0) {
    const began = { ...spend(world, 'other'), intents: 2 };
    moves.push(['another intent begins', another(began, way, 'pay', 1)]);
  }
  for (const { id, state, mayConfirm } of service.movements) {
    if (left.reverse > 0 && state === 'completed')
      moves.push([
        `${id} is taken back`,
        { ...spend(world, 'reverse'), service: settle(service, id, 'failed') },
      ]);
    if (left.confirm > 0 && state === 'failed' && mayConfirm)
      moves.push([
        `${id} is confirmed all the same`,
        { ...spend(world, 'confirm'), service: settle(service, id, 'completed', true) },
      ]);
  }
  return moves;
}

function stops(world: World, process: Process, mind: Mind): Move {
  const spent = spend(world, 'stop');
  const decided = mind.decide(spent, process);
  if (mind.core.stopsInMemory) {
    const { round, numbers } = decided.view;
    const isUnsent = numbers.every(({ sends }) => sends.length === 0);
    const { intent } = process;
    const told = isUnsent ? [...spent.told, { as: 'stopped', round, intent }] : spent.told;
    return [`${process.by} is stopped`, changed({ ...spent, told }, process, { isStopped: true })];
  }
  const facts = decided.view.over ? [] : ([{ is: 'stopped' }] as const);
  return [
    `${process.by} is stopped`,
    commit(spent, process, decided, facts, { doing: process.doing }),
  ];
}

/** A process that follows another looks again; wide, since the turn may pass late by a clock that is off. */
const FOLLOW_MS = 600_000;

const CALM = {
  fault: 0,
  crash: 0,
  loss: 0,
  rowLoss: 0,
  slow: 0,
  foreign: 0,
  fail: 0,
  stop: 0,
  second: 0,
  retry: 0,
  copy: 0,
  verdict: 0,
  other: 0,
  scope: 0,
  reverse: 0,
  confirm: 0,
};

/** Goes on without trouble until everybody was told; says what is wrong on the way. */
function goesOn(
  from: World,
  way: Way,
  mind: Mind,
): readonly [string | undefined, readonly string[], World] {
  const trace: string[] = [];
  let world: World = { ...from, left: CALM };
  for (let i = 0; i < 600; i++) {
    const wrong = wrongIn(world, way);
    if (wrong) return [wrong, trace, world];
    if (world.processes.length === 0)
      world = takesUp(world, way, way.restart === 'pay' ? 'pay' : 'resume');
    const live = world.processes.filter(isLive);
    if (live.length === 0) {
      if (world.late.length === 0) return [undefined, trace, world];
      world = arrives(world, world.late[0]!, mind)[1];
      continue;
    }
    const move = live.flatMap((one) =>
      movesOf(world, one, mind).map(([l, w]): Move => [`${one.by} ${l}`, w]),
    )[0];
    if (move) {
      trace.push(move[0]);
      world = move[1];
      continue;
    }
    const from = world;
    const dues = live.map((one) => {
      if (one.doing.is === 'wait') return one.doing.at + 50_000;
      const { step } = mind.decide(from, one);
      const ahead = mind.clock(from, one) - from.now;
      return step.do === 'follow' ? from.now + FOLLOW_MS : step.at - ahead;
    });
    const now = Math.min(...dues.filter((at) => at > world.now));
    if (!Number.isFinite(now)) {
      const steps = live.map((one) => JSON.stringify(mind.decide(world, one).step));
      return [`nobody can go on: ${steps.join(' ')}`, trace, world];
    }
    const late = world.late.filter(({ at }) => now <= at + REQUEST_LIFE_MS);
    world = { ...world, now, late };
    trace.push(`it is ${now / 1000} s`);
  }
  return ['it does not end', trace, world];
}

const storeText = ({ rows, names, reserved }: Store): unknown => [
  rows.map((one) => one && [one.by, one.at, keyOf(one.facts)]),
  names,
  reserved,
];

/** A state as text, the same whatever way has led to it. */
function textOf({ store, before, processes, left, ...rest }: World): string {
  return JSON.stringify([
    rest,
    storeText(store),
    before.map(storeText),
    processes.map(({ known, ...one }) => [one, keyOf(known)]),
    Object.values(left),
  ]);
}

/** Two hashes of 32 bits as one number of 53. */
function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

/** A way that is longer than this goes round in circles. */
const DEEPEST = 150;

/** A search of more states would not fit into memory. */
const MOST_STATES = 4_000_000;

type Reached = readonly [World, number];

export interface Limits {
  readonly seconds?: number;
  readonly states?: number;
  /** Ends at the first breach. */
  readonly isFirstOnly?: boolean;
}

const budgetOf = (way: Way): Budget =>
  Object.fromEntries(Object.keys(CALM).map((kind) => [kind, way[kind as keyof Budget]])) as never;

/** One search, breadth first. */
class Search {
  readonly #way: Way;
  readonly #mind: Mind;
  readonly #limits: Limits;
  readonly #began: number = performance.now();
  readonly #seen = new Map<number, number>();
  readonly #parents: number[] = [];
  readonly #labels: string[] = [];
  readonly #breaches = new Map<string, Breach>();
  readonly #excused: Record<string, number> = {};
  readonly #ends: Record<string, number> = {};
  #depth = 0;
  #isWhole = true;
  /** A breach was found, and the first is enough. */
  #isDone = false;

  constructor(way: Way, core: Core, limits: Limits) {
    this.#way = way;
    this.#mind = new Mind(core, way);
    this.#limits = limits;
  }

  run(): Found {
    const first: World = { ...firstWorld(this.#way), left: budgetOf(this.#way) };
    let layer = [this.#add('begins', first, -1)!];
    while (layer.length > 0 && this.#isWhole && !this.#isDone) {
      layer = this.#follow(layer);
      this.#depth++;
      if (this.#depth <= DEEPEST || layer.length === 0) continue;
      const [world, index] = layer[0]!;
      this.#note('it goes round in circles', world, () => this.#traceOf(index).slice(0, 60));
      this.#isWhole = false;
    }
    return {
      way: this.#way.name,
      states: this.#parents.length,
      depth: this.#depth,
      seconds: (performance.now() - this.#began) / 1000,
      isWhole: this.#isWhole,
      ends: this.#ends,
      breaches: [...this.#breaches.values()],
      excused: this.#excused,
    };
  }

  /** All that follows the worlds of one depth. */
  #follow(layer: readonly Reached[]): Reached[] {
    const following: Reached[] = [];
    for (const [world, index] of layer) {
      const moves = nextWorlds(world, this.#way, this.#mind);
      if (moves.length === 0) this.#end(world, index);
      for (const [label, next] of moves) {
        const reached = this.#add(label, next, index);
        if (!reached) continue;
        const wrong = wrongIn(next, this.#way) ?? liesOf(next, this.#mind);
        if (!wrong) following.push(reached);
        else this.#note(wrong, next, () => this.#traceOf(reached[1]));
      }
      if (this.#isDone) return [];
      if (!this.#isOut()) continue;
      this.#isWhole = false;
      return [];
    }
    return following;
  }

  #add(label: string, world: World, parent: number): Reached | undefined {
    const hash = hashOf(textOf(world));
    if (this.#seen.has(hash)) return undefined;
    const index = this.#parents.length;
    this.#seen.set(hash, index);
    this.#parents.push(parent);
    this.#labels.push(label);
    return [world, index];
  }

  /** Nothing more is searched from here: the run goes on without trouble. */
  #end(world: World, index: number): void {
    const [wrong, trace, last] = goesOn(world, this.#way, this.#mind);
    const whole = () => [...this.#traceOf(index), '— then, without trouble —', ...trace];
    if (wrong) this.#note(wrong, last, whole);
    const end = [...new Set(last.told.map(({ as }) => as))].join('+') || 'nothing told';
    this.#ends[end] = (this.#ends[end] ?? 0) + 1;
  }

  #note(what: string, world: World, trace: () => readonly string[]): void {
    const excuse = excuseOf(what, world);
    const key = `${what.slice(0, 60)}${excuse ? ` (${excuse})` : ''}`;
    if (excuse) this.#excused[key] = (this.#excused[key] ?? 0) + 1;
    if (!this.#breaches.has(key)) this.#breaches.set(key, { what, excuse, trace: trace() });
    if (!excuse && this.#limits.isFirstOnly) this.#isDone = true;
  }

  #traceOf(index: number): string[] {
    const trace: string[] = [];
    for (let at = index; at >= 0; at = this.#parents[at]!) trace.push(this.#labels[at]!);
    return trace.reverse();
  }

  #isOut(): boolean {
    const { seconds = Infinity, states = MOST_STATES } = this.#limits;
    if (this.#parents.length > states) return true;
    return (performance.now() - this.#began) / 1000 > seconds;
  }
}

/** Searches a way. */
export function search(way: Way, core: Core = REAL, limits: Limits = {}): Found {
  forgetLists();
  return new Search(way, core, limits).run();
}
