import { type Client, createClient, eventFeed, type Gap } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';

/** Says how this service of events misbehaves; it shares no code with the sandbox or the walk. */
export interface Habits {
  /** Largest page, whatever is asked. */
  readonly page?: number;
  /** Fraction digits that are printed of the seven that are stored. */
  readonly digits?: number;
  readonly hidesCount?: boolean;
  /** Says no time, as a page of another origin sees it. */
  readonly hidesDate?: boolean;
  /** The clock of the client is ahead by this, milliseconds. */
  readonly ahead?: number;
  /** The server counts this many events more than it shows. */
  readonly phantoms?: number;
  /** Event that it prints without what it is about. */
  readonly garbles?: string;
  /** Answers with the first page, whatever is skipped. */
  readonly ignoresSkip?: boolean;
  /** Answers in this order, whatever is asked. */
  readonly order?: 'asc' | 'desc' | 'shuffled';
}

interface Happening {
  readonly id: string;
  /** Creation as stored: milliseconds since 1970, and what is left in steps of 100 ns. */
  readonly at: number;
  readonly rest: number;
  /** Milliseconds since 1970 from which it can be read. */
  readonly visible: number;
}

export interface FeedServer {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly happenings: Happening[];
  requests: number;
}

const HISTORY = 30 * 86_400_000;

/** Opens a service that knows events only, with virtual time. */
export function openFeedServer(habits: Habits = {}): FeedServer {
  const sandbox = createSandbox();
  const server: FeedServer = { sandbox, happenings: [], requests: 0, client: undefined as never };
  let turn = 0;
  const shown = new Map<string, object>();
  const shownOf = ({ id, at, rest }: Happening): object => {
    const known = shown.get(id);
    if (known) return known;
    const item = {
      id,
      eventType: 'invoice.updated',
      webhookVersion: 'v1',
      data: id === habits.garbles ? null : { entityId: 'e' },
      created: printed(at, rest, habits.digits ?? 6),
    };
    shown.set(id, item);
    return item;
  };
  const answer = (url: URL): Response => {
    server.requests++;
    turn++;
    const now = sandbox.clock.now();
    const query = url.searchParams;
    const [after, before] = ['gt', 'lt'].map(
      (operator) => new RegExp(`created ${operator} (\\S+)`).exec(query.get('$filter') ?? '')?.[1],
    );
    const low = Math.max(after ? Date.parse(after) : -Infinity, now - HISTORY);
    const high = before ? Date.parse(before) : Infinity;
    const found = server.happenings.filter(
      ({ visible, at, rest }) =>
        visible <= now && (at > low || (at === low && rest > 0)) && at < high,
    );
    const asked = habits.order ?? (query.get('$orderby')?.endsWith('asc') ? 'asc' : 'desc');
    const mixed = (id: string) =>
      [...id].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 9_973, turn);
    if (asked === 'shuffled') found.sort((a, b) => mixed(a.id) - mixed(b.id));
    else
      found.sort(
        (a, b) =>
          (asked === 'asc' ? 1 : -1) * (a.at - b.at || a.rest - b.rest) ||
          mixed(a.id) - mixed(b.id),
      );
    const skip = habits.ignoresSkip ? 0 : Number(query.get('$skip') ?? 0);
    const items = found.slice(
      skip,
      skip + Math.min(Number(query.get('$top') ?? 100), habits.page ?? 100),
    );
    return new Response(
      JSON.stringify({
        items: items.map(shownOf),
        ...(habits.hidesCount
          ? { isCountUnknown: true }
          : { count: found.length + (habits.phantoms ?? 0) }),
      }),
      habits.hidesDate ? {} : { headers: { date: new Date(now).toUTCString() } },
    );
  };
  const client = createClient({
    ...sandbox.clientOptions,
    clock: { ...sandbox.clock, now: () => sandbox.clock.now() + (habits.ahead ?? 0) },
    fetch: async (url) => answer(new URL(url)),
  });
  return Object.assign(server, { client });
}

function printed(at: number, rest: number, digits: number): string {
  const [second, millis] = new Date(at).toISOString().slice(0, -1).split('.') as [string, string];
  const fraction = `${millis}${String(rest).padStart(4, '0')}`.slice(0, digits).replace(/0+$/, '');
  return `${second}${fraction && `.${fraction}`}+00:00`;
}

/**
 * Lets `count` events happen around now: `spread` ms of creation, each readable `late(n)` ms
 * afterwards.
 */
export function happen(
  server: FeedServer,
  count: number,
  spread: number,
  late: (n: number) => number = () => 20,
): void {
  const now = server.sandbox.clock.now();
  for (let n = 0; n < count; n++) {
    const created = now + Math.floor((n * spread) / count) + (spread === 0 ? 0 : (n * 389) % 997);
    server.happenings.push({
      id: `event-${server.happenings.length}`,
      at: created,
      rest: (n * 7_919) % 10_000,
      visible: created + late(n),
    });
  }
}

/** Walks along the feed and writes down what it brings. */
export function walk(
  server: FeedServer,
  from?: string,
): { ids: string[]; gaps: Gap[]; stop(): void } {
  const stop = new AbortController();
  const log = {
    ids: [] as string[],
    gaps: [] as Gap[],
    stop: () => stop.abort(),
  };
  void (async () => {
    for await (const { event, gap } of eventFeed(server.client, { from, signal: stop.signal })) {
      if (event) log.ids.push(event.id);
      if (gap) log.gaps.push(gap);
    }
  })();
  return log;
}
