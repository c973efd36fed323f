// The relay's two objects on real SQLite and in virtual time, with as much of their platform around them as they use:
// storage, one alarm each, sockets that outlive an object's sleep.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  createClient,
  type Client,
  type ClientOptions,
  type Invoice,
  type RequestView,
} from 'paystate';
import {
  AccountObject,
  type AccountObjectOptions,
  createRelay,
  type ObjectNamespace,
  type ObjectStub,
  type Relay,
  InvoiceRoom,
  type DurableObjectContext,
} from 'paystate/relay';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import type { InboxProblem } from 'paystate/webhooks';
import { fromPage, ORIGIN, read, request, SECRET } from '../unit/relay/shop.ts';
import { altered } from '../unit/state/shop.ts';

type Storage = DurableObjectContext['storage'];
/** An alarm that has failed rings again after this, milliseconds. */
const RING_AGAIN = 2_000;
/** Of the fifteen minutes of a token, milliseconds. */
const TOKEN_KEPT = 840_000;
type LiveSocket = Parameters<DurableObjectContext['acceptWebSocket']>[0];
type Clock = Sandbox['clock'];
interface AutoResponse {
  readonly response: string;
}
interface Living {
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
  webSocketMessage?(socket: unknown, text: unknown): Promise<void>;
}

/** The room's end of a page's socket. */
class Line implements LiveSocket {
  readonly texts: string[] = [];
  /** The page's end, where the page is the SDK. */
  heard: (text: string) => void = () => {};
  lost: () => void = () => {};
  closedWith: number | undefined;
  #attachment: unknown;

  send(text: string): void {
    if (this.closedWith !== undefined) throw new Error('closed');
    this.texts.push(text);
    this.heard(text);
  }

  close(code = 1005): void {
    if (this.closedWith !== undefined) return;
    this.closedWith = code;
    this.lost();
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment);
  }
}

/** What a room has sent to a page. */
interface RoomNotice {
  readonly seq: number;
  readonly epoch: string;
  readonly value?: Invoice;
}

/** A page's end of a socket. */
export interface PageLine {
  received(): readonly RoomNotice[];
  /** The code that it was closed with. */
  closedWith(): number | undefined;
  say(message: unknown): Promise<void>;
}

/** The time between two evictions: what was under way when it ends never goes on. */
interface Life {
  isOver: boolean;
  /** Timers that are set: an object with one does not sleep. */
  timers: number;
  readonly clock: Clock;
}

function lifeOn(clock: Clock): Life {
  const after: Clock['after'] = (ms, ring) => {
    let isSet = true;
    const end = () => {
      if (isSet) life.timers--;
      isSet = false;
    };
    life.timers++;
    const stop = clock.after(ms, () => {
      end();
      if (!life.isOver) ring();
    });
    return () => {
      end();
      stop();
    };
  };
  const wait: Clock['wait'] = async (ms, signal) => {
    life.timers++;
    await clock.wait(ms, signal);
    life.timers--;
    if (life.isOver) await new Promise<never>(() => {});
  };
  const life: Life = { isOver: false, timers: 0, clock: { ...clock, after, wait } };
  return life;
}

/** One object: its storage and alarm live on when it is put out of memory. */
export class Box {
  readonly lines: Line[] = [];
  /** What the platform answers to a beat, without the object. */
  pong = '';
  alarmAt: number | null = null;
  /** Statements that the database refuses. */
  refuses: RegExp | undefined;
  /** What of its storage fails: all of it, what writes, or setting the alarm. */
  lost: 'nothing' | 'all' | 'writes' | 'alarm' = 'nothing';
  /** Is asked after each commit: whether its answer is lost. */
  losesAnswer: () => boolean = () => false;
  readonly #clock: Clock;
  readonly #make: (ctx: DurableObjectContext, life: Life) => Living;
  #living: Living | undefined;
  #life: Life | undefined;
  #db = new DatabaseSync(':memory:');
  readonly #statements: Map<string, StatementSync> = new Map();
  #cancel = (): void => {};
  #depth = 0;

  constructor(clock: Clock, make: (ctx: DurableObjectContext, life: Life) => Living) {
    this.#clock = clock;
    this.#make = make;
  }

  get living(): Living {
    if (this.#living) return this.#living;
    const life = (this.#life = lifeOn(this.#clock));
    return (this.#living = this.#make(this.#context(life), life));
  }

  /** Timers that keep it awake. */
  get timers(): number {
    return this.#life?.timers ?? 0;
  }

  /** Out of memory; the next request makes it anew. */
  evict(): void {
    if (this.#life) this.#life.isOver = true;
    this.#living = undefined;
  }

  /** What its database says. */
  rows(query: string): readonly unknown[] {
    return this.#db.prepare(query).all();
  }

  /** All that it has kept is lost. */
  wipe(): void {
    this.evict();
    this.#forget();
  }

  /** The alarm is gone, or stands at a time at which it did not ring. */
  loseAlarm(at: number | null = null): void {
    this.#cancel();
    this.alarmAt = at;
  }

  ask(call: string, body: unknown): Promise<Response> {
    return this.living.fetch(
      new Request(`https://object/${call}`, { method: 'POST', body: JSON.stringify(body) }),
    );
  }

  #context(life: Life): DurableObjectContext {
    return {
      storage: this.#storage(life),
      acceptWebSocket: (socket) => void this.lines.push(socket as Line),
      getWebSockets: () => this.lines.filter(({ closedWith }) => closedWith === undefined),
      setWebSocketAutoResponse: (pair) => void (this.pong = (pair as AutoResponse).response),
    };
  }

  #storage(life: Life): Storage {
    return {
      sql: {
        exec: (query, ...bindings) =>
          this.#run(life.isOver ? 'SELECT 1 WHERE 0' : query, life.isOver ? [] : bindings) as never,
      },
      transactionSync: (work) => this.#atOnce(work),
      getAlarm: async () => (this.#check(), this.alarmAt),
      setAlarm: async (at) => void (this.#check('alarm'), life.isOver || this.#arm(at)),
      deleteAll: async () => this.#forget(),
    };
  }

  #forget(): void {
    this.#db = new DatabaseSync(':memory:');
    this.#statements.clear();
  }

  #run(query: string, bindings: readonly unknown[]): unknown {
    this.#check(/^\s*(INSERT|UPDATE|DELETE)/.test(query) ? 'writes' : 'all');
    if (this.refuses?.test(query)) throw new Error('disk full');
    const statement = this.#statements.get(query) ?? this.#db.prepare(query);
    this.#statements.set(query, statement);
    const rows = statement.all(...(bindings as never[]));
    return Object.assign(rows, { toArray: () => rows });
  }

  #check(part: 'all' | 'writes' | 'alarm' = 'all'): void {
    if (this.lost === 'all' || this.lost === part) throw new Error('storage lost');
  }

  #atOnce<T>(work: () => T): T {
    this.#check();
    const name = `level${this.#depth++}`;
    let isDone = false;
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const done = work();
      this.#db.exec(`RELEASE ${name}`);
      isDone = true;
      if (this.losesAnswer()) throw new Error('the answer is lost');
      return done;
    } catch (thrown) {
      if (!isDone) this.#db.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
      throw thrown;
    } finally {
      this.#depth--;
    }
  }

  /** An alarm that fails rings again, as the platform lets it. */
  async #ring(): Promise<void> {
    try {
      await this.living.alarm();
    } catch {
      if (this.alarmAt === null) this.#arm(this.#clock.now() + RING_AGAIN);
    }
  }

  #arm(at: number): void {
    this.#cancel();
    this.alarmAt = at;
    this.#cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.alarmAt = null;
      void this.#ring();
    });
  }
}

export interface RelayObjects {
  readonly sandbox: Sandbox;
  readonly relay: Relay;
  /** The shop's own client, beside the relay. */
  readonly client: Client;
  readonly account: Box;
  /** What the account object has reported. */
  readonly problems: readonly InboxProblem[];
  room(invoiceId: string): Box;
  /** What the service was asked by the account object since the last time this was asked: method and path. */
  requests(): string[];
  /** All that it has asked, and why. */
  readonly sent: readonly RequestView[];
  invoice(): Promise<Invoice>;
  pay(invoice: Invoice): Promise<void>;
  /** Asks the relay as a page with a token of this invoice does. */
  ask(
    invoiceId: string,
    method: 'GET' | 'POST',
    end?: string,
    address?: string,
  ): ReturnType<typeof read>;
  /** Exchanges an order's secret. */
  exchange(orderId: string, orderSecret: string, address?: string): ReturnType<typeof read>;
  /** A page that looks at an invoice by socket. */
  line(invoiceId: string): Promise<PageLine>;
  token(invoiceId: string): Promise<string>;
  /** The SDK as a page of this invoice uses it, and what it asks the relay. */
  page(invoiceId: string, device?: Device): { readonly client: Client; readonly asked: string[] };
}

/** What a page runs on: a clock that may stop, a network that may go. */
export interface Device {
  readonly clock?: Clock;
  readonly network?: Network;
}

/** A page's way to the relay. What was open when it went is never heard of again. */
export class Network {
  isOn = true;
  /** Sockets of an earlier time are dead. */
  time = 0;

  cut(): void {
    this.isOn = false;
    this.time++;
  }
}

/** A page keeps its token until a minute before the end, as that of the example does. */
function keptToken(make: () => Promise<string>, clock: Clock): () => Promise<string> {
  let [token, until]: [Promise<string> | undefined, number] = [undefined, 0];
  return () => {
    if (token && clock.now() < until) return token;
    until = clock.now() + TOKEN_KEPT;
    token = make();
    token.catch(() => (token = undefined));
    return token;
  };
}

interface Upgrade {
  readonly webSocket: Line;
}

type Hear = (event: { readonly data?: unknown }) => void;

/** The class that opens sockets of a page to the relay of this world. */
function socketsOf({ relay, sandbox: { run } }: RelayObjects, box: Box, network: Network) {
  return class {
    readonly #listeners = new Map<string, Hear>();
    readonly #time = network.time;
    #line: Line | undefined;
    constructor(_url: string, [, token = '']: string[]) {
      void this.#dial(token);
    }
    get #isCut(): boolean {
      return !network.isOn || network.time !== this.#time;
    }
    async #dial(token: string): Promise<void> {
      await undefined; // the page listens first
      if (this.#isCut) return this.#listeners.get('close')?.({});
      const headers = {
        origin: ORIGIN,
        upgrade: 'websocket',
        'sec-websocket-protocol': `paystate.v1, ${token}`,
      };
      const answer = await run(relay.handle(request('GET', '/pay/live', headers)));
      if (answer.status !== 101) return this.#tell('close');
      this.#line = (answer as unknown as Upgrade).webSocket;
      this.#line.heard = (data) => this.#tell('message', { data });
      this.#line.lost = () => this.#tell('close');
      this.#tell('open');
    }
    #tell(type: string, event: { readonly data?: unknown } = {}): void {
      if (!this.#isCut) this.#listeners.get(type)?.(event);
    }
    addEventListener(type: string, listener: Hear): void {
      this.#listeners.set(type, listener);
    }
    send(text: string): void {
      if (this.#isCut) return;
      if (text === 'ping') this.#tell('message', { data: box.pong });
      else void box.living.webSocketMessage!(this.#line, text);
    }
    close(): void {
      this.#line?.close();
    }
  };
}

/** What workerd has beside the web's own classes. */
function lendPlatform(): void {
  const web = globalThis as Record<string, unknown>;
  if (web['WebSocketPair']) return;
  web['WebSocketPair'] = class {
    1 = new Line();
    0 = this[1];
  };
  web['WebSocketRequestResponsePair'] = class implements AutoResponse {
    readonly response: string;
    constructor(_request: string, response: string) {
      this.response = response;
    }
  };
  web['Response'] = class extends Response {
    constructor(body?: BodyInit | null, init: ResponseInit = {}) {
      const isUpgrade = init.status === 101;
      super(body, isUpgrade ? { ...init, status: 200 } : init);
      if (!isUpgrade) return;
      Object.defineProperty(this, 'status', { value: 101 });
      Object.assign(this, { webSocket: (init as Upgrade).webSocket });
    }
  };
}

/** What a deployment is of. */
export interface Deployment {
  readonly AccountObject: typeof AccountObject;
  readonly InvoiceRoom: typeof InvoiceRoom;
  readonly createRelay: typeof createRelay;
  readonly createClient: typeof createClient;
}

export const OWN: Deployment = { AccountObject, InvoiceRoom, createRelay, createClient };

/** The deployment of each part; an object is of the one that is there when it is made. */
export interface Versions {
  account: Deployment;
  rooms: Deployment;
  gateway: Deployment;
}

/** Opens a relay before a sandbox. `answers` may change what the service tells the account object. */
export function openObjects(
  answers: (url: string, ask: () => Promise<Response>) => Promise<Response> = (_url, ask) => ask(),
  options: Pick<AccountObjectOptions, 'secrets' | 'webhookUrl' | 'on' | 'leaseDuration'> = {},
  signed = false,
  versions: Versions = { account: OWN, rooms: OWN, gateway: OWN },
): RelayObjects {
  lendPlatform();
  const sandbox = createSandbox({ signed, deliver: (request) => relay.handleWebhook(request) });
  const { clock, run } = sandbox;
  const shop = createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' }));
  const asked: string[] = [];
  const sent: RequestView[] = [];
  const problems: InboxProblem[] = [];
  const base = sandbox.clientOptions as ClientOptions;
  const clientOf = (life: Life): Client =>
    versions.account.createClient({
      ...base,
      clock: life.clock,
      fetch: (url, init) =>
        life.isOver ? new Promise(() => {}) : answers(url, () => sandbox.fetch(url, init)),
      onRequest(view) {
        sent.push(view);
        asked.push(`${view.method} ${view.path}`);
      },
    });
  const boxes = new Map<string, Box>();
  const stubOf = (box: () => Box): ObjectStub => ({
    fetch: (input, init) => box().living.fetch(new Request(input, init)),
  });
  const roomBox = (name: string): Box => {
    const box =
      boxes.get(name) ??
      new Box(
        clock,
        (ctx, life) =>
          new versions.rooms.InvoiceRoom(ctx, {
            account: () => stubOf(() => account),
            tokenSecret: SECRET,
            origin: ORIGIN,
            clock: life.clock,
          }),
      );
    boxes.set(name, box);
    return box;
  };
  const rooms: ObjectNamespace = {
    idFromName: (name) => name,
    get: (name) => stubOf(() => roomBox(name as string)),
  };
  const account: Box = new Box(
    clock,
    (ctx, life) =>
      new versions.account.AccountObject(ctx, {
        client: clientOf(life),
        rooms,
        onProblem: (problem) => void problems.push(problem),
        ...options,
      }),
  );
  const relay = versions.gateway.createRelay({
    tokenSecret: SECRET,
    origin: ORIGIN,
    clock,
    rooms,
    account: stubOf(() => account),
  });
  const token = (invoiceId: string): Promise<string> => run(relay.createToken(invoiceId));
  const world: RelayObjects = {
    sandbox,
    relay,
    client: shop,
    account,
    problems,
    sent,
    token,
    room: (invoiceId) => roomBox(`main/${invoiceId}`),
    requests: () => asked.splice(0),
    invoice: () => run(shop.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } })),
    async pay({ invoiceId }) {
      await sandbox.payer.pay((await run(shop.invoices.quote(invoiceId))).lnInvoice);
    },
    async ask(invoiceId, method, end = '', address = '192.0.2.1') {
      const path = `/pay/v1/invoices/${invoiceId}${end}`;
      const headers = { 'cf-connecting-ip': address };
      return run(read(relay.handle(fromPage(await token(invoiceId), method, path, headers))));
    },
    exchange: (orderId, orderSecret, address) =>
      run(
        read(
          relay.handle(
            request(
              'POST',
              '/pay/token',
              {
                origin: ORIGIN,
                authorization: `Bearer ${orderSecret}`,
                ...(address && { 'cf-connecting-ip': address }),
              },
              JSON.stringify({ orderId }),
            ),
          ),
        ),
      ),
    page(invoiceId, { clock: own = clock, network = new Network() } = {}) {
      const pageAsked: string[] = [];
      const client = createClient({
        baseUrl: `${ORIGIN}/pay`,
        token: keptToken(() => relay.createToken(invoiceId), clock),
        clock: own,
        WebSocket: socketsOf(world, world.room(invoiceId), network),
        async fetch(url, { method, headers, body }) {
          if (!network.isOn) throw new TypeError('no network');
          const { pathname, search } = new URL(url);
          pageAsked.push(`${method} ${pathname.replace(/^.*\/v1/, '')}${search}`);
          const given = { ...(headers as Record<string, string>), origin: ORIGIN };
          return relay.handle(request(method!, pathname + search, given, String(body ?? '')));
        },
      });
      return { client, asked: pageAsked };
    },
    async line(invoiceId) {
      const box = world.room(invoiceId);
      const protocols = `paystate.v1, ${await token(invoiceId)}`;
      const { status } = await run(
        relay.handle(
          request('GET', '/pay/live', {
            origin: ORIGIN,
            upgrade: 'websocket',
            'sec-websocket-protocol': protocols,
          }),
        ),
      );
      if (status !== 101) throw new Error(`no socket: ${status}`);
      const own = box.lines.at(-1)!;
      const line: PageLine = {
        received: () => own.texts.map((text) => JSON.parse(text) as RoomNotice),
        closedWith: () => own.closedWith,
        say: (message) => run(box.living.webSocketMessage!(own, JSON.stringify(message))),
      };
      await line.say({ resume: null });
      await sandbox.advance(1_000);
      return line;
    },
  };
  return world;
}

/** The objects, and a replica of the service that may show another state of an invoice that is read alone. */
export function openReplica(): RelayObjects & { readonly replica: { shows: string | undefined } } {
  const replica: { shows: string | undefined } = { shows: undefined };
  const world = openObjects(async (url, ask) => {
    const answer = await ask();
    return replica.shows && /\/v1\/invoices\/[^/]+$/.test(url)
      ? altered(answer, (given: Invoice) => ({ ...given, state: replica.shows! }))
      : answer;
  });
  return { ...world, replica };
}
