// Models the shell: what a process may do next in a world, with every answer that the service and the network may give.
import type { Fact, Happening } from '../../../src/flows/pay/facts.ts';
import type { MoveReason } from '../../../src/flows/pay/order.ts';
import type { Answer } from '../../../src/flows/pay/rail.ts';
import {
  execute,
  FOREIGN,
  keyed,
  LIST_LAG_MS,
  makeQuote,
  QUOTE_LIFE_MS,
  REPLICA_LAG_MS,
  settle,
} from './service.ts';
import type { Movement, Said, Service } from './service.ts';
import type { Budget } from './ways.ts';
import {
  claimsKey,
  claimsMovement,
  claimsText,
  givesBack,
  isUnclaimed,
  keyFor,
  objectionOf,
  reserves,
} from './shares.ts';
import {
  type Decided,
  factsOf,
  type Late,
  listOf,
  type Mind,
  type Process,
  rowOf,
  stored,
  type World,
} from './world.ts';

/** One thing that may happen: what is printed of it, and the world after it. */
export type Move = readonly [string, World];

const HAND_OVER_MS = 5_000;
const ANSWER_MS = 50_000;
export const REQUEST_LIFE_MS = 120_000;

const reason = (code: string, kind: string) => ({ code, kind, text: '' }) as MoveReason;
const NO = reason('NO', 'refused');
const LATER = reason('LATER', 'rate-limited');
const LOST = reason('LOST', 'unreachable');
const NONE = { value: '0' } as never;

export function changed(world: World, process: Process, change: Partial<Process>): World {
  const next = { ...process, ...change };
  const processes = world.processes.map((one) => (one.by === process.by ? next : one));
  return { ...world, processes };
}

const has = ({ left }: World, kind: keyof Budget): boolean => left[kind] > 0;
export const spend = (world: World, kind: keyof Budget): World => ({
  ...world,
  left: { ...world.left, [kind]: world.left[kind] - 1 },
});

/** Writes the row: what is stored, what the process knows beside it, and what has happened. */
export function commit(
  world: World,
  process: Process,
  { facts, view, now }: Decided,
  happened: readonly Happening[],
  change: Partial<Process> = {},
): World {
  const base = rowOf(world, process) ?? process.base ?? { by: process.by, at: now };
  const added = happened.map(
    (one, k): Fact => ({
      ...one,
      by: process.by,
      i: process.i + k,
      at: now,
      round: view.round + (one.is === 'again' ? 1 : 0),
    }),
  );
  const all = listOf([...factsOf(facts), ...added]);
  const row = { by: base.by, at: base.at, facts: all };
  const rows = world.store.rows.map((one, index) => (index === process.intent ? row : one));
  const next = stored(world, { rows });
  const learned = { known: all, base: { by: base.by, at: base.at }, i: process.i + added.length };
  return changed(next, process, { ...learned, doing: { is: 'run' }, ...change });
}

/** What a process may do; empty where it waits. The first move is the one without trouble. */
export function movesOf(world: World, process: Process, mind: Mind): readonly Move[] {
  const { doing } = process;
  if (doing.is === 'told') return [];
  if (doing.is === 'ask')
    return preparesToAsk(world, process, mind) ?? asks(world, process, doing.n, mind);
  if (doing.is === 'answer') return answers(world, process, mind);
  if (doing.is === 'means')
    return [
      [
        'does what it meant',
        commit(world, process, mind.decide(world, process), doing.facts, {
          doing: { ...doing.then, at: world.now } as Process['doing'],
        }),
      ],
    ];
  if (doing.is === 'agreed') return agrees(world, process, mind);
  if (doing.is === 'hand') return hands(world, process, mind);
  const decided = mind.decide(world, process);
  if (!rowOf(world, process) && doing.is === 'run')
    return [['begins the row', commit(world, process, decided, [])]];
  if (doing.is === 'got' && !isWanted(doing.facts, decided))
    return [['throws away what it has found', changed(world, process, { doing: { is: 'run' } })]];
  if (doing.is === 'got')
    return [[`writes ${says(doing.facts)}`, commit(world, process, decided, doing.facts)]];
  if (doing.is === 'wait') {
    if (world.now < doing.at + ANSWER_MS) return [];
    const { n, send } = doing;
    return [['gives up', answered(world, process, { n, send }, { how: 'none' })]];
  }
  return decides(world, process, decided, mind);
}

/** Answers are always written; what a search says only where the row still asks for it. */
function isWanted(facts: readonly Happening[], { step }: Decided): boolean {
  const [fact] = facts;
  if (fact?.is === 'closed') return step.do === 'search' && step.n === fact.n;
  return (fact?.is !== 'cleared' && fact?.is !== 'found') || step.do === 'search';
}

export const says = (facts: readonly Happening[]): string =>
  facts
    .map(({ is, ...rest }) => {
      const words = Object.entries(rest).map(([name, value]) =>
        name === 'quote' || name === 'why' ? '' : `${value === true ? name : value}`,
      );
      return [is, ...words].filter(Boolean).join(' ');
    })
    .join(' + ');

function got(world: World, process: Process, facts: readonly Happening[]): World {
  return changed(world, process, { doing: { is: 'got', facts } });
}

function decides(world: World, process: Process, decided: Decided, mind: Mind): readonly Move[] {
  const { step, view } = decided;
  if (step.at > decided.now) return [];
  switch (step.do) {
    case 'tell':
      if (decided.facts !== (rowOf(world, process)?.facts ?? 0) && !mind.core.tellsBeforeStored)
        return [['puts back', commit(world, process, decided, [])]];
      return [tell(world, process, decided, view.over!.as, mind)];
    case 'report':
      return [tell(world, process, decided, 'report', mind)];
    case 'note':
      return notes(world, process, decided, mind);
    case 'ask': {
      const { n } = step;
      const doing = { is: 'ask', n } as const;
      if (view.numbers.some((one) => one.n === n))
        return [[`begins to ask ${n}`, changed(world, process, { doing })]];
      return [
        [`commits asked ${n}`, commit(world, process, decided, [{ is: 'asked', n }], { doing })],
      ];
    }
    case 'send': {
      const one = view.numbers.find(({ n }) => n === step.n)!;
      const id = one.shown?.quote.id ?? one.original!.id;
      return [sends(world, process, decided, step.n, id, [], mind)];
    }
    case 'look':
      return looks(world, process, decided, step.n);
    case 'read':
      return reads(world, process, decided, step.id, mind);
    case 'search':
      return searches(world, process, decided, step.n, mind);
    default:
      return [];
  }
}

function notes(world: World, process: Process, decided: Decided, mind: Mind): readonly Move[] {
  const { step } = decided;
  if (step.do !== 'note') return [];
  const over = step.facts.find(({ is }) => is === 'over');
  if (mind.core.tellsBeforeStored && over?.is === 'over')
    return [tell(world, process, decided, over.as, mind)];
  return [[`commits ${says(step.facts)}`, commit(world, process, decided, step.facts)]];
}

function tell(world: World, process: Process, { view }: Decided, as: string, mind: Mind): Move {
  const { round, moved } = view;
  const { intent } = process;
  const isFree = mind.way.most !== undefined && /^(refused|failed|stopped)$/.test(as);
  const given = isFree ? givesBack(world, process, round, mind) : undefined;
  if (given) return ['gives back its part', given];
  const one = { as, round, intent, id: as === 'paid' ? moved?.id : undefined };
  const told = as === 'report' ? world.told : [...world.told, one];
  return [`tells ${as}`, changed({ ...world, told }, process, { doing: { is: 'told' } })];
}

/** Announces a request that moves money, in one commit with what comes before it. */
function sends(
  world: World,
  process: Process,
  decided: Decided,
  n: number,
  id: string,
  before: readonly Happening[],
  mind: Mind,
): Move {
  const send = 1 + (decided.view.numbers.find((one) => one.n === n)?.sends.length ?? 0);
  const doing = { is: 'hand', n, send, id, at: world.now } as const;
  const facts: readonly Happening[] = [...before, { is: 'sent', n, send }];
  if (mind.core.sendsBeforeCommit)
    return [`sends ${n}.${send} uncommitted`, changed(world, process, { doing })];
  if (mind.core.decidesOnce)
    return [
      `means to send ${n}.${send}`,
      changed(world, process, { doing: { is: 'means', facts, then: doing } }),
    ];
  return [`commits ${says(facts)}`, commit(world, process, decided, facts, { doing })];
}

/** What two intents of one journal settle first: a text, a key of the receipt, and a part of it. */
function preparesToAsk(world: World, process: Process, mind: Mind): readonly Move[] | undefined {
  const { doing } = process;
  const { way, core } = mind;
  if (doing.is !== 'ask') return undefined;
  const { n, count, isHeld } = doing;
  const refused: Happening = { is: 'refused', n, why: NO, isFree: true };
  if (way.isOneText && !core.claimsNothing && !isHeld) {
    const next = claimsText(world, process);
    if (!next) return [['may not have the text', got(world, process, [refused])]];
    return [['claims the text', changed(next, process, { doing: { ...doing, isHeld: true } })]];
  }
  if (!way.isRefund || way.most === undefined) return undefined;
  if (count === undefined) {
    const [free, next] = core.keysByIntent
      ? ([10 * (1 + process.intent) + n, world] as const)
      : claimsKey(world, process, n);
    return [[`claims key ${free}`, changed(next, process, { doing: { ...doing, count: free } })]];
  }
  const objection = objectionOf(world, process, count, mind);
  if (objection)
    return [['is held back', got(world, process, [{ is: 'refused', n, ...objection }])]];
  if (isHeld) return undefined;
  const next = reserves(world, process, mind.decide(world, process).view.round, mind);
  if (!next) return [['finds nothing left', got(world, process, [refused])]];
  return [['reserves its part', changed(next, process, { doing: { ...doing, isHeld: true } })]];
}

/** Asks for terms under the key of a number, until two answers name one id. */
function asks(world: World, process: Process, n: number, mind: Mind): readonly Move[] {
  const { way } = mind;
  const { rail } = way;
  if (rail === 'deposit') {
    const agreed = { is: 'agreed', n, id: keyFor(process, n), endsAt: 1e12 } as const;
    const estimate: Move = ['agrees to an estimate', changed(world, process, { doing: agreed })];
    return [estimate, ...refusedTerms(world, process, n, world.service, true)];
  }
  const { view } = mind.decide(world, process);
  const shown = view.numbers.find((each) => each.n === n)?.shown;
  if (rail === 'payout' && shown) {
    const agreed = { is: 'agreed', n, id: shown.quote.id, endsAt: 1e12 } as const;
    return [['reads the payout again', changed(world, process, { doing: agreed })]];
  }
  const key = keyFor(process, n);
  const quote = rail === 'payout' ? undefined : keyed(world.service, key, world.now, way);
  if (quote) return originals(world, process, n, quote.id, mind);
  const service = makeQuote(world.service, key, world.now, rail);
  const moves = freshTerms({ ...world, service }, process, n, mind);
  return [...moves, ...refusedTerms(world, process, n, service, true)];
}

/** The service has made a quote, or a payout, in `after`. */
function freshTerms(after: World, process: Process, n: number, mind: Mind): readonly Move[] {
  const isKeyed = mind.way.rail !== 'payout';
  const made = after.service.quotes.at(-1)!;
  const agreed = { is: 'agreed', n, id: made.id, endsAt: made.endsAt } as const;
  const original = originalFact(after, n, made.id, mind);
  if (mind.way.keys === 'ignored' && isKeyed) {
    const service = makeQuote(after.service, keyFor(process, n), after.now, mind.way.rail);
    const other: Happening = { is: 'original', n, id: service.quotes.at(-1)!.id };
    const refused: Happening = { is: 'refused', n, why: NO };
    return [['is shown two ids', got({ ...after, service }, process, [other, refused])]];
  }
  const moves: Move[] = [[`agrees to ${made.id}`, changed(after, process, { doing: agreed })]];
  if (has(after, 'fault')) {
    const spent = spend(after, 'fault');
    if (isKeyed) moves.push(['loses the terms, asks again', got(spent, process, [original])]);
    const refused: Happening = { is: 'refused', n, why: NO, isFree: true };
    moves.push(['refuses the terms by a guard', got(spent, process, [refused])]);
  }
  if (has(after, 'foreign') && isKeyed) {
    const spent = spend(after, 'foreign');
    moves.push(['is shown terms of another', got(spent, process, [original])]);
  }
  return moves;
}

function refusedTerms(
  world: World,
  process: Process,
  n: number,
  made: Service,
  isNew: boolean,
): readonly Move[] {
  if (!has(world, 'fault')) return [];
  const spent = spend(world, 'fault');
  // no row is left, and the service refuses before it looks at the key
  const unseen = world.isLost ? { ...spent, excuse: world.excuse ?? 'X2' } : spent;
  const lost: Happening = { is: 'refused', n, why: LOST, isPassing: true };
  return [
    ['is refused the terms', got(unseen, process, [{ is: 'refused', n, why: NO }])],
    [
      'is refused the terms for now',
      got(unseen, process, [{ is: 'refused', n, why: LATER, isPassing: true }]),
    ],
    ['has no answer to its ask', got(unseen, process, [lost])],
    ...(isNew
      ? [
          [
            'has no answer to its ask, which acted',
            got({ ...unseen, service: made }, process, [lost]),
          ] as const,
        ]
      : []),
  ];
}

/** Where a quote cannot be read, a new one for the same order tells how long it lives at most. */
function originalFact({ now }: World, n: number, id: string, { way }: Mind): Happening {
  return {
    is: 'original',
    n,
    id,
    endsAt: way.rail === 'exchange' ? undefined : now + QUOTE_LIFE_MS,
  };
}

/** The key names something that this journal has not agreed to. */
function originals(
  world: World,
  process: Process,
  n: number,
  id: string,
  mind: Mind,
): readonly Move[] {
  const original = originalFact(world, n, id, mind);
  const unread: Happening = { is: 'original', n, id };
  const faults = refusedTerms(world, process, n, world.service, false);
  // money of unknown size, which another journal may have sent
  const unknown: Happening = { is: 'found', candidates: [] };
  if (mind.way.isRefund)
    return [[`meets ${id}, of unknown size`, got(world, process, [original, unknown])], ...faults];
  if (mind.way.rail !== 'exchange')
    return [
      [`meets ${id}`, got(world, process, [original])],
      ...(has(world, 'fault')
        ? [
            [
              `meets ${id}, whose end is unknown`,
              got(spend(world, 'fault'), process, [unread]),
            ] as const,
          ]
        : []),
      ...faults,
    ];
  const quote = world.service.quotes.find((one) => one.id === id)!;
  const movement = world.service.movements.find((one) => one.id === quote.moved);
  const moves: Move[] = [];
  const isNew = quote.endsAt > world.now + 2_000;
  const { view } = mind.decide(world, process);
  const isKnown = view.numbers.find((one) => one.n === n)?.original?.id === id;
  const adopt = (from: World): World => {
    const agreed = { is: 'agreed', n, id, endsAt: quote.endsAt } as const;
    if (!isNew) return got(from, process, [original]);
    if (isKnown) return changed(from, process, { doing: agreed });
    return commit(from, process, mind.decide(from, process), [original], { doing: agreed });
  };
  if (movement) {
    const { state } = movement;
    moves.push([
      `meets ${id}, executed`,
      got(world, process, [original, { is: 'moved', n, id, state, isSure: true }]),
    ]);
    if (has(world, 'fault') && world.now < movement.at + REPLICA_LAG_MS)
      moves.push([`meets ${id}, which an old replica calls new`, adopt(spend(world, 'fault'))]);
  } else moves.push([`meets ${id}, ${isNew ? 'and adopts it' : 'ended'}`, adopt(world)]);
  return [...moves, ...faults];
}

/** Commits agreed terms, if the row still says so. */
function agrees(world: World, process: Process, mind: Mind): readonly Move[] {
  const { doing } = process;
  if (doing.is !== 'agreed') return [];
  const { n, id, endsAt } = doing;
  const decided = mind.decide(world, process);
  const { step } = decided;
  const isMine = step.do === 'ask' && step.n === n;
  if (!isMine || endsAt < decided.now + 5_000)
    return [['throws the terms away', changed(world, process, { doing: { is: 'run' } })]];
  if (step.do === 'ask' && step.isProof) {
    const free: Happening = { is: 'refused', n, why: LATER, isFree: true, isPassing: true };
    return [['only asked', got(world, process, [free])]];
  }
  if (mind.way.most !== undefined && !mind.way.isRefund && !doing.isHeld) {
    const next = reserves(world, process, decided.view.round, mind);
    if (!next)
      return [
        ['finds no room', got(world, process, [{ is: 'refused', n, why: NO, isFree: true }])],
      ];
    return [['reserves its part', changed(next, process, { doing: { ...doing, isHeld: true } })]];
  }
  const quote = { id, amount: NONE, totalAmount: NONE, ...(endsAt < 1e12 && { endsAt }) };
  return [sends(world, process, decided, n, id, [{ is: 'shown', n, quote }], mind)];
}

/** What the service says of a send. */
function answerOf(request: Late, said: Said, mind: Mind): Answer {
  if (said.how !== 'ok') return { how: said.how, ...(said.how === 'no' && { why: NO }) };
  const { rail } = mind.way;
  const code = said.isProcessed ? 'PAYMENT_PROCESSED' : undefined;
  const isById = rail === 'exchange' || rail === 'payout';
  const movement = { state: said.state!.toUpperCase() } as Answer['movement'];
  const id = isById ? request.id : said.id!;
  return { how: 'ok', id, code, movement: rail === 'exchange' ? undefined : movement };
}

function answered(
  world: World,
  process: Process,
  { n, send }: Pick<Late, 'n' | 'send'>,
  answer: Answer,
): World {
  return changed(world, process, { doing: { is: 'answer', n, send, answer } });
}

/** Claims the movement that an answer names, and writes what the answer adds. */
function answers(world: World, process: Process, mind: Mind): readonly Move[] {
  const { doing } = process;
  if (doing.is !== 'answer') return [];
  const { n, send, answer } = doing;
  const { core, way } = mind;
  const decided = mind.decide(world, process);
  const { view } = decided;
  const { id } = answer;
  let isOurs = true;
  if (id !== undefined && way.other > 0 && !core.claimsNothing) {
    const next = core.isCertain(view, mind.rules(), answer) && claimsMovement(world, process, id);
    if (next && next !== world) return [[`claims ${id}`, next]];
    isOurs = isUnclaimed(world, process, id);
  }
  const accepted = id === undefined ? answer : core.acceptedAnswer(view, n, answer, isOurs);
  const facts = core.answeredFacts(view, mind.rules(), { n, send }, accepted);
  return [[`writes ${says(facts)}`, commit(world, process, decided, facts)]];
}

/** Hands a request to the network. */
function hands(world: World, process: Process, mind: Mind): readonly Move[] {
  const { doing } = process;
  if (doing.is !== 'hand') return [];
  const { n, send, id, at } = doing;
  const hears = (from: World, answer: Answer) => answered(from, process, { n, send }, answer);
  if (world.now > at + HAND_OVER_MS)
    return [['is too late to send', hears(world, { how: 'later', why: LATER })]];
  const request = requestOf(process, mind.decide(world, process).view.round)!;
  const [service, said] = execute(world.service, id, world.now, request, mind.way);
  const acted = { ...world, service };
  const moves: Move[] = [
    [
      `sends ${n}.${send} of ${id}: ${said.how} ${said.id ?? ''}`,
      hears(acted, answerOf(request, said, mind)),
    ],
  ];
  if (has(world, 'fail') && said.state === 'pending') {
    const failed = settle(service, said.id!, 'failed', mind.way.confirm > 0);
    const answer = answerOf(request, { ...said, state: 'failed' }, mind);
    const spent = spend({ ...world, service: failed }, 'fail');
    moves.push([`sends ${n}.${send}: fails`, hears(spent, answer)]);
  }
  if (has(world, 'fault')) moves.push(...faultsOf(world, process, request, acted, hears));
  if (has(world, 'copy')) {
    const spent = spend(world, 'copy');
    const copied = { ...spent, late: [...spent.late, request], excuse: 'copy' };
    moves.push(['is refused, and a copy comes later', hears(copied, { how: 'no', why: NO })]);
    moves.push([
      'is refused for now, and a copy comes later',
      hears(copied, { how: 'later', why: LATER }),
    ]);
  }
  if (has(world, 'foreign') && !RAILS_BY_ID.has(mind.way.rail)) {
    const others = world.service.movements.find(({ intent }) => intent !== process.intent);
    const other = { how: 'ok', id: others?.id ?? FOREIGN, state: 'pending' } as const;
    const answer = answerOf(request, other, mind);
    moves.push(['acts, another is named', hears(spend(acted, 'foreign'), answer)]);
    moves.push(['does not act, another is named', hears(spend(world, 'foreign'), answer)]);
  }
  return moves;
}

const RAILS_BY_ID = new Set<string>(['exchange', 'payout', 'deposit']);

function faultsOf(
  world: World,
  process: Process,
  request: Late,
  acted: World,
  hears: (from: World, answer: Answer) => World,
): readonly Move[] {
  const spent = spend(world, 'fault');
  const unseen = world.isLost ? { ...spent, excuse: world.excuse ?? 'X2' } : spent;
  const late = { ...spent, late: [...spent.late, request] };
  const wait = { ...process.doing, is: 'wait' } as Process['doing'];
  return [
    ['is lost', hears(spent, { how: 'none' })],
    ['acts, the answer is lost', hears(spend(acted, 'fault'), { how: 'none' })],
    ['acts, the answer names nothing', hears(spend(acted, 'fault'), { how: 'ok' })],
    ['is cut, and comes later', hears(late, { how: 'none' })],
    ['is slow', changed(late, process, { doing: wait })],
    ['is refused', hears(unseen, { how: 'no', why: NO })],
    ['is refused for now', hears(unseen, { how: 'later', why: LATER })],
  ];
}

/** The request that a process holds. */
export function requestOf({ by, doing, intent }: Process, round: number): Late | undefined {
  if (doing.is === 'hand' || doing.is === 'wait') {
    const { at, n, send, id } = doing;
    return { is: 'send', intent, by, at, n, send, id, round };
  }
  return undefined;
}

/** The network brings a request that it has kept. */
export function arrives(world: World, request: Late, mind: Mind): Move {
  const late = world.late.filter((one) => one !== request);
  const { service, now } = world;
  if (request.is === 'ask') {
    const isKnown = keyed(service, request.id, now, mind.way) !== undefined;
    const made = isKnown ? service : makeQuote(service, request.id, now, mind.way.rail);
    return [`a late ask acts`, { ...world, late, service: made }];
  }
  const [next, said] = execute(service, request.id, now, request, mind.way);
  const after = { ...world, late, service: next };
  const waiting = world.processes.find(
    ({ by, doing }) =>
      by === request.by &&
      doing.is === 'wait' &&
      doing.send === request.send &&
      doing.n === request.n,
  );
  const label = `late ${request.n}.${request.send} of ${request.by} acts: ${said.how}`;
  return [
    label,
    waiting ? answered(after, waiting, request, answerOf(request, said, mind)) : after,
  ];
}

function looks(world: World, process: Process, { view }: Decided, n: number): readonly Move[] {
  const one = view.numbers.find((each) => each.n === n)!;
  const ids = new Set([one.original?.id, one.shown?.quote.id].filter((id) => id !== undefined));
  const quote = world.service.quotes.find(({ id, moved }) => moved && ids.has(id));
  const movement = world.service.movements.find(({ id }) => id === quote?.moved);
  if (!quote || !movement)
    return [[`reads ${n} as new`, got(world, process, [{ is: 'unmoved', n }])]];
  const { state } = movement;
  const moved: Happening = { is: 'moved', n, id: quote.id, state, isSure: true };
  const moves: Move[] = [[`reads ${n} as ${state}`, got(world, process, [moved])]];
  if (has(world, 'fault') && world.now < movement.at + REPLICA_LAG_MS)
    moves.push([
      `an old replica says ${n} is new`,
      got(spend(world, 'fault'), process, [{ is: 'unmoved', n }]),
    ]);
  return moves;
}

/** Reads how a movement ends; what is pending ends now. */
function reads(
  world: World,
  process: Process,
  decided: Decided,
  id: string,
  mind: Mind,
): readonly Move[] {
  const { n, isSure, proof } = decided.view.moved!;
  const same = { is: 'moved', n, id, ...(isSure && { isSure }), ...(proof && { proof }) } as const;
  if (id === FOREIGN)
    return [['reads another', got(world, process, [{ ...same, state: 'completed' }])]];
  const movement = world.service.movements.find(
    (one) => one.id === id || world.service.quotes.some((q) => q.id === id && q.moved === one.id),
  )!;
  const ends = movement.state === 'pending' ? (['completed', 'failed'] as const) : [movement.state];
  const unread: readonly Move[] = has(world, 'scope')
    ? [tell(spend(world, 'scope'), process, decided, 'unknown', mind)]
    : [];
  const moves = ends.flatMap((state): readonly Move[] => {
    if (movement.state === 'pending' && state === 'failed' && !has(world, 'fail')) return [];
    const isFailing = movement.state === 'pending' && state === 'failed';
    const mayConfirm = movement.mayConfirm || (isFailing && mind.way.confirm > 0);
    const after = { ...world, service: settle(world.service, movement.id, state, mayConfirm) };
    const facts = [{ ...same, state: state as 'completed' }];
    return [[`reads ${state}`, got(isFailing ? spend(after, 'fail') : after, process, facts)]];
  });
  return [...moves, ...unread];
}

/** Searches the lists since the row began. */
function searches(
  world: World,
  process: Process,
  decided: Decided,
  n: number | undefined,
  mind: Mind,
): readonly Move[] {
  const { numbers } = decided.view;
  const known = new Set(
    numbers.flatMap(({ seen }) => (seen && seen.state === 'failed' ? [seen.id] : [])),
  );
  const since = mind.way.isRefund ? 0 : -Infinity;
  const open = world.service.movements.filter(
    ({ id, at, state, mayConfirm, intent }) =>
      (state !== 'failed' || mayConfirm) &&
      // the preimage of another text proves nothing
      (intent !== 1 - process.intent || mind.way.rail !== 'bolt11' || mind.way.isOneText) &&
      at >= since &&
      !known.has(id) &&
      isUnclaimed(world, process, nameIn(world, id, mind)),
  );
  const shown = open.filter(({ at }) => world.now >= at + LIST_LAG_MS);
  const outcomes = shown.length === open.length ? [open] : [open, shown];
  const moves = outcomes.map((some): Move => {
    const [first] = some;
    if (first) return finds(world, process, decided, n, some, mind);
    const nothing: Happening = n === undefined ? { is: 'cleared' } : { is: 'closed', n };
    return ['finds nothing', got(world, process, [nothing])];
  });
  if (!has(world, 'scope')) return moves;
  const unread: Happening = { is: 'found', candidates: [], isUnread: true };
  return [...moves, ['may not read the list', got(spend(world, 'scope'), process, [unread])]];
}

/** The id by which a movement is claimed: a payout's is that of what was prepared. */
function nameIn({ service }: World, id: string, { way }: Mind): string {
  if (way.rail !== 'payout' && way.rail !== 'exchange') return id;
  return service.quotes.find(({ moved }) => moved === id)?.id ?? id;
}

/** What a list shows: this intent's by its claim or preimage, else what is like it. */
function finds(
  world: World,
  process: Process,
  { view }: Decided,
  n: number | undefined,
  some: readonly Movement[],
  mind: Mind,
): Move {
  const first = some[0]!;
  const quote = world.service.quotes.find(({ moved }) => moved === first.id)!;
  const claimed = view.numbers.find(({ shown }) => shown?.quote.id === quote.id);
  if (mind.way.rail === 'payout' && claimed) {
    const { state } = first;
    const moved: Happening = { is: 'moved', n: claimed.n, id: quote.id, state, isSure: true };
    return ['finds its payout', got(world, process, [moved])];
  }
  if (mind.way.rail === 'bolt11') {
    const isShared = mind.way.other > 0 && !mind.core.claimsNothing;
    const owned = isShared ? claimsMovement(world, process, first.id)! : world;
    const after = { ...owned, service: settle(world.service, first.id, 'completed') };
    const under = n === undefined ? {} : { n };
    const moved = { is: 'moved', ...under, id: first.id, state: 'completed', proof: 'ok' } as const;
    return ['finds its preimage', got(after, process, [moved])];
  }
  const found: Happening = { is: 'found', candidates: some.map(({ id }) => id) };
  return ['finds a likeness', got(world, process, [found])];
}
