// Draws by a seed what happens in a run: troubles, payments, who listens when, what the page does.
import { type Chance, chanceOf } from '../chance.ts';
import type { ListenerKind } from './listener.ts';
import type { PayHow, Service } from './service.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

interface TroubleKind {
  /** Its weight in the draw. */
  readonly weight: number;
  /** Seconds that it lasts. */
  readonly least: number;
  readonly most: number;
}
const kind = (weight: number, least: number, most: number): TroubleKind => ({
  weight,
  least,
  most,
});

const TROUBLES = {
  unavailable: kind(12, 10, 300),
  'feed-unavailable': kind(8, 10, 300),
  'lists-unavailable': kind(8, 10, 300),
  gone: kind(12, 5, 180),
  silent: kind(6, 5, 180),
  lossy: kind(8, 30, 300),
  token: kind(8, 13, 600),
  block: kind(4, 60, 3_600),
  portal: kind(8, 10, 120),
  sleep: kind(8, 60, 7_200),
  'sleep-ticking': kind(3, 60, 7_200),
  behind: kind(8, 30, 300),
  'behind-lossy': kind(6, 30, 300),
  'stale-once': kind(6, 60, 60),
  'proxy-403': kind(5, 10, 30),
  'proxy-404': kind(4, 10, 30),
  poison: kind(4, 60, 60),
  ahead: kind(3, 60, 600),
};
export type TroubleName = keyof typeof TROUBLES;
const WEIGHTS = Object.fromEntries(
  Object.entries(TROUBLES).map(([name, { weight }]) => [name, weight]),
) as Readonly<Record<TroubleName, number>>;
const COUNTS = { 0: 2, 1: 5, 2: 3, 3: 1 };
const KINDS: Readonly<Record<ListenerKind, number>> = {
  watch: 6,
  rx: 3,
  iterate: 1,
  checkout: 1.5,
};
const FATES = { nothing: 2, paid: 4, pending: 3, fails: 2, 'fails-then-paid': 1, cancelled: 1 };

/** A trouble, from and to counted from the beginning. */
export interface DrawnTrouble {
  readonly name: TroubleName;
  readonly from: number;
  readonly to: number;
}

/** Something that happens to an invoice. */
export type FateAct = { readonly at: number } & (
  | ({ readonly act: 'pay' } & PayHow)
  | { readonly act: 'cancel' | 'reverse' }
);

export interface Listener {
  readonly kind: ListenerKind;
  readonly until: 'settled' | 'never';
  /** Another listener throws at each call. */
  readonly throws: boolean;
  /** Spans in which it listens; `Infinity`: to the end. */
  readonly spans: readonly (readonly [from: number, to: number])[];
}

export interface DrawnWatch {
  readonly n: number;
  /** Age of the invoice when the run begins. */
  readonly age: number;
  readonly isBitcoin: boolean;
  readonly fate: readonly FateAct[];
  readonly listeners: readonly Listener[];
}

interface PageAct {
  readonly at: number;
  readonly act: 'hide' | 'show' | 'focus';
}

export interface Schedule {
  readonly seed: number;
  readonly troubles: readonly DrawnTrouble[];
  readonly watches: readonly DrawnWatch[];
  /** The acts of the page; without them there is no page. */
  readonly page: readonly PageAct[] | undefined;
  /** When the last disturbance is over. */
  readonly calmAt: number;
}

/** Does to an invoice what a schedule says. */
export function meet(service: Service, invoiceId: string, fate: FateAct): Promise<boolean> {
  if (fate.act === 'pay') return service.pay(invoiceId, fate);
  return fate.act === 'cancel' ? service.cancel(invoiceId) : service.reverse(invoiceId);
}

function drawTrouble(chance: Chance, length: number): DrawnTrouble {
  const name = chance.weighed(WEIGHTS);
  const { least, most } = TROUBLES[name];
  const from = chance.between(0, length / SECOND_MS) * SECOND_MS + chance.between(0, 999);
  return { name, from, to: from + chance.between(least, most) * SECOND_MS };
}

function drawFate(chance: Chance, length: number): readonly FateAct[] {
  const fate = chance.weighed(FATES);
  const at = chance.between(0, length);
  const pendingFor = chance.between(1, 60) * SECOND_MS;
  const acts: FateAct[] = [];
  if (fate === 'paid') acts.push({ at, act: 'pay' });
  if (fate === 'pending') acts.push({ at, act: 'pay', pendingFor });
  if (fate.startsWith('fails')) acts.push({ at, act: 'pay', pendingFor, fails: true });
  if (fate === 'fails-then-paid')
    acts.push({ at: at + pendingFor + chance.between(1, 90) * SECOND_MS, act: 'pay' });
  if (fate === 'cancelled') acts.push({ at, act: 'cancel' });
  const last = acts.at(-1);
  if (last && fate !== 'fails' && chance.hits(0.3))
    acts.push({ at: last.at + pendingFor + chance.between(1, 180) * SECOND_MS, act: 'reverse' });
  return acts;
}

interface Pause {
  readonly from: number;
  readonly to: number;
}

function drawListening(chance: Chance, length: number, pause?: Pause): Listener['spans'] {
  const from = chance.hits(0.5) ? 0 : chance.between(0, MINUTE_MS);
  const drawn = (): number => (chance.hits(0.3) ? chance.between(from + 1, length) : Infinity);
  const leaves = pause ? pause.from : drawn();
  if (leaves === Infinity) return [[from, Infinity]];
  const back = pause
    ? pause.to + chance.between(0, 5_000)
    : leaves + chance.between(0, 3) ** 4 * chance.between(1, 5 * SECOND_MS);
  return [
    [Math.min(from, leaves - 1), leaves],
    [back, Infinity],
  ];
}

function drawPage(chance: Chance, length: number): readonly PageAct[] {
  const acts: PageAct[] = [];
  for (let at = chance.between(0, length); at < length; at += chance.between(1, 240) * SECOND_MS)
    acts.push({ at, act: chance.pick(['hide', 'show', 'focus', 'focus'] as const) });
  return acts;
}

function drawWatch(
  chance: Chance,
  n: number,
  { length, pause, mayGoOn }: { length: number; pause: Pause | undefined; mayGoOn: boolean },
): DrawnWatch {
  return {
    n,
    age: chance.between(0, 20) * MINUTE_MS,
    isBitcoin: chance.hits(0.5),
    fate: drawFate(chance, pause ? pause.to : length),
    listeners: Array.from({ length: chance.hits(0.15) ? 2 : 1 }, () => ({
      kind: chance.weighed(KINDS),
      until: chance.hits(0.25) && mayGoOn ? 'never' : 'settled',
      throws: chance.hits(0.1),
      spans: drawListening(chance, length, pause),
    })),
  };
}

/** `without`: names of troubles that are left out, or `never`; all else is drawn as it would be with them. */
export function drawSchedule(seed: number, without: readonly string[] = []): Schedule {
  const chance = chanceOf(`schedule/${seed}`);
  const length = chance.between(2, 10) * MINUTE_MS;
  const count = chance.hits(0.1) ? chance.between(16, 40) : chance.between(1, 6);
  const troubles = Array.from({ length: Number(chance.weighed(COUNTS)) }, () =>
    drawTrouble(chance, length),
  ).filter(({ name }) => !without.includes(name));
  const pauseAt = chance.between(MINUTE_MS, length);
  const pause = chance.hits(0.1) ? { from: pauseAt, to: pauseAt + HOUR_MS } : undefined;
  const mayGoOn = !without.includes('never');
  const watches = Array.from({ length: count }, (_, n) =>
    drawWatch(chance, n, { length, pause, mayGoOn }),
  );
  const page = chance.hits(0.25) ? drawPage(chance, length) : undefined;
  const endOf = (act: FateAct): number => act.at + (act.act === 'pay' ? (act.pendingFor ?? 0) : 0);
  const ends = [
    length,
    ...troubles.map(({ to }) => to),
    ...watches.flatMap(({ fate }) => fate.map(endOf)),
    ...watches.flatMap(({ listeners }) => listeners.map(({ spans }) => spans.at(-1)![0])),
  ];
  return { seed, troubles, watches, page, calmAt: Math.max(...ends) };
}
