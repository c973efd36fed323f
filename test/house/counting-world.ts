// A service of a few rows, and the files that count, taken by themselves: what they need of others is handed in.
import { CountSource } from '../../src/state/counts/count-source.ts';
import type { Inventory } from '../../src/state/counts/inventory.ts';
import { InventoryReader } from '../../src/state/counts/inventory-reader.ts';

export const LAG = 30_000;
/** The clock begins here, and rows are made before. */
const BEGIN = 1_000_000;

export interface Row {
  readonly id: string;
  readonly created: number;
  state: string;
}

/** What is watched, as far as counting asks. */
interface Counted {
  readonly id: string;
  readonly type: object;
  readonly bornAt: number;
  readonly readAt: number | undefined;
  created: number;
  held: { state: string } | undefined;
}

interface World {
  now: number;
  /** Requests that may still be sent. */
  places: number;
  /** Thrown by the next requests. */
  failure?: object | undefined;
  /** Changes a page before it is read. */
  rewrite: (page: { items: Row[]; count?: number }) => { items: Row[]; count?: number };
}

/** Rows at these seconds; those whose id begins with `w` are watched. */
export function openWorld(rows: Row[], sizes = { page: 5, neighbours: 4 }) {
  const world: World = { now: BEGIN, places: Infinity, rewrite: (page) => page };
  const asked: string[] = [];
  const listed: string[] = [];
  const invalidated: string[] = [];
  const type = {
    name: 'invoice',
    idOf: ({ id }: Row) => id,
    watch: { list: { counted: 'UNPAID' } },
  };
  const entries = new Map<string, Counted>();
  const watch = ({ id, created, state }: Row, more: object = {}) =>
    entries.set(id, { id, type, created, bornAt: 0, readAt: 1, held: { state }, ...more });
  for (const row of rows) if (row.id.startsWith('w')) watch(row);
  const learned = { counts: true, capabilities: { list: true } };
  const tools = {
    clock: { monotonic: () => world.now, now: () => world.now },
    signal: new AbortController().signal,
    entries,
    learned,
    listener: {
      takeLook: () => world.places-- > 0,
      applyListed: (entry: { id: string }, value: Row) => listed.push(`${entry.id} ${value.state}`),
      invalidate: (_by: string, _name: string, id: string) => invalidated.push(id),
    },
    reader: {
      async listCounted(
        _type: object,
        { from, to }: Inventory['span'] & object,
        top: number,
        skip = 0,
      ) {
        asked.push(`${from}-${to}${top > 1 ? ' list' : ''}`);
        await Promise.resolve();
        if (world.failure) throw world.failure;
        const all = rows
          .filter(({ created, state }) => state === 'UNPAID' && created >= from && created < to)
          .sort((a, b) => a.created - b.created);
        return world.rewrite({ items: all.slice(skip, skip + top), count: all.length });
      },
      isDated: ({ created }: Row) => created >= 0,
      isListed: () => true,
      cost: (all: unknown[]) => all.length,
      lookCost: (all: unknown[]) => Math.ceil(all.length / 4),
    },
    findEntry: (_all: object, _name: string, id: string) => entries.get(id),
    hasEntry: (_all: object, entry: { id: string }) => entries.get(entry.id) === entry,
    createdOf: (_type: object, { created }: Row) => created,
    countOf: ({ count }: { count?: number }) => count,
    lag: LAG,
    window: 600_000,
    unknown: 1.2,
    ...sizes,
  };
  const source = new CountSource(tools as never);
  const reader = new InventoryReader(type as never, tools as never);
  /** Polls, and says what was asked; two seconds later. */
  const poll = async (isOutage = false) => {
    asked.length = listed.length = invalidated.length = 0;
    world.now += 2_000;
    const sentAt = world.now;
    const error = await source.poll(isOutage);
    return { asked: [...asked], error, isProven: source.provenAt === sentAt };
  };
  /** Takes all in, and counts once. */
  const settle = async () => {
    source.start();
    await poll();
    world.now += 10_000;
    return poll();
  };
  const nextReadAt = (id: string) => source.nextReadAt(entries.get(id) as never);
  return {
    world,
    rows,
    entries,
    watch,
    learned,
    tools,
    source,
    reader,
    asked,
    listed,
    invalidated,
    poll,
    settle,
    nextReadAt,
  };
}

/** Watched rows, one in ten seconds. */
export const rowsOf = (count: number, prefix = 'w', from = 100): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${prefix}${n}`,
    created: from + n * 10,
    state: 'UNPAID',
  }));
