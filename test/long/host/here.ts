// A relay on rows in the process of the test, in virtual time and on SQLite in memory: its
// requests, its rows, its pages' sockets and its database's failures can be seen and caused.
import { DatabaseSync } from 'node:sqlite';
import { createClient, type Client, type RequestView } from 'paystate';
import {
  createHostedRelay,
  type HostedAccount,
  type HostedRelay,
  type HostedRelayOptions,
  opensSocket,
  type ServerSocket,
} from 'paystate/host';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { sqliteDriver } from 'paystate/stores';
import type { InboxProblem } from 'paystate/webhooks';
import { ORIGIN, read, request, SECRET } from '../../unit/relay/shop.ts';

export const HOOK = 'a secret for the webhooks of tests';
export const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

type Driver = HostedRelayOptions['driver'];
type Answer = ReturnType<typeof read>;

/** The relay's end of a page's socket, which the test plays as the server would. */
class Socket implements ServerSocket {
  readyState = 1;
  readonly texts: string[] = [];
  closedWith: number | undefined;
  readonly #listeners = new Map<string, (event: { type: string; data?: unknown }) => void>();

  addEventListener(type: string, listener: (event: { type: string; data?: unknown }) => void) {
    this.#listeners.set(type, listener);
  }

  send(text: string): void {
    if (this.readyState !== 1) throw new Error('the socket is not open');
    this.texts.push(text);
  }

  close(code?: number): void {
    this.closedWith = code;
    this.readyState = 3;
  }

  tell(type: 'open' | 'message' | 'close' | 'error', data?: unknown): void {
    if (type === 'open') this.readyState = 1;
    if (type === 'close') this.readyState = 3;
    this.#listeners.get(type)?.({ type, data });
  }

  /** Messages to the page, without the answers to its heartbeats. */
  get messages(): readonly Message[] {
    return this.texts
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Message);
  }
}

export interface Message {
  readonly epoch: string;
  readonly seq: number;
  readonly value: { readonly state: string; readonly transactions?: readonly unknown[] };
  readonly unconfirmed?: string;
  readonly secondsLeft?: number;
  readonly quote?: { readonly expirationInSec: number };
}

/** An order that a page has opened. */
export interface Sold {
  readonly orderId: string;
  readonly orderSecret: string;
  readonly invoiceId: string;
  readonly token: string;
}

/** A database that fails as the test says. */
interface Database {
  readonly driver: Driver;
  readonly statements: string[];
  /** Statements that it refuses. */
  refuses: RegExp | undefined;
  /** Is told of the statements of a batch that was done, and may delay its answer. */
  delays?: ((sql: string) => Promise<void> | undefined) | undefined;
  rows(sql: string): readonly Readonly<Record<string, unknown>>[];
}

export function openDatabase(db: DatabaseSync = new DatabaseSync(':memory:')): Database {
  const driver = sqliteDriver(db);
  const database: Database = {
    statements: [],
    refuses: undefined,
    rows: (sql) => db.prepare(sql).all() as never,
    driver: {
      ...driver,
      async batch(list, options) {
        for (const { sql } of list) {
          database.statements.push(sql);
          if (database.refuses?.test(sql)) throw new Error('disk full');
        }
        const answer = await driver.batch(list, options);
        await database.delays?.(list.map(({ sql }) => sql).join(';'));
        return answer;
      },
    },
  };
  return database;
}

export interface Here {
  readonly sandbox: Sandbox;
  readonly relay: HostedRelay;
  readonly client: Client;
  readonly database: Database;
  readonly problems: readonly InboxProblem[];
  /** Requests of the relay to the service since the last call: method and path. */
  requests(): readonly string[];
  /** Opens an order as a page does. */
  sell(account?: string): Promise<Sold>;
  exchange(orderId: string, secret: string, address?: string | null, path?: string): Answer;
  /** Asks for the invoice of a token, or for what is below it. */
  ask(
    sold: Pick<Sold, 'invoiceId' | 'token'>,
    method?: 'GET' | 'POST',
    end?: string,
    path?: string,
  ): Answer;
  /** Opens the socket of a page; with `silent` it has not said where it was. */
  connect(
    sold: Pick<Sold, 'token'>,
    says?: object | null | 'silent',
    state?: number,
    path?: string,
  ): Promise<Socket>;
  pay(invoiceId: string): Promise<void>;
}

interface Settings extends Omit<Partial<HostedRelayOptions>, 'account' | 'driver'> {
  readonly sandbox?: Sandbox;
  readonly database?: Database;
  /** Waits for work, and lets time pass, where the sandbox alone cannot. */
  readonly time?: Pick<Sandbox, 'run' | 'advance'>;
  readonly accounts?: readonly string[];
  /** Is told which account the relay asks for. */
  readonly onAccount?: (name: string) => void;
  /** Options of the account, other than its client. */
  readonly account?: Partial<HostedAccount>;
  /** Changes the answers of the service. */
  readonly answers?: (url: string, send: () => Promise<Response>) => Promise<Response>;
}

/** Opens a relay that has not begun yet. */
export function openHere(settings: Settings = {}): Here {
  const {
    sandbox = createSandbox({
      seed: 'here',
      deliver: (delivery) => relay.handleWebhook('main', delivery),
    }),
    database = openDatabase(),
    ...more
  } = settings;
  const {
    accounts = ['main', 'other'],
    account = {},
    answers,
    onAccount,
    time = sandbox,
    ...options
  } = more;
  const asked: string[] = [];
  const problems: InboxProblem[] = [];
  const base = sandbox.clientOptions as unknown as { fetch: typeof fetch };
  const client = createClient({
    ...sandbox.clientOptions,
    onRequest: ({ method, path }: RequestView) => void asked.push(`${method} ${path}`),
    ...(answers && {
      fetch: (url: string, init: RequestInit) => answers(url, () => base.fetch(url, init)),
    }),
  } as never);
  const relay: HostedRelay = createHostedRelay({
    ...{ clock: sandbox.clock, origin: ORIGIN, tokenSecret: SECRET, mayForget: true },
    driver: database.driver,
    ...options,
    account: (name) => {
      onAccount?.(name);
      return accounts.includes(name)
        ? {
            client: name === 'main' ? client : createClient(sandbox.clientOptions),
            on: { orderPaid: () => {} },
            onProblem: (problem) => void problems.push(problem),
            ...account,
          }
        : undefined;
    },
  });
  const { path = '/pay' } = options;
  const { run, advance } = time;
  const own = (name: string): string => (name === 'main' ? path : `${path}/${name}`);
  const handle = (asking: Request, address: string | null = '192.0.2.1'): Promise<Response> =>
    run(relay.handle(asking, { address }));
  const here: Here = {
    ...{ sandbox, relay, client, database, problems },
    requests: () => asked.splice(0),
    exchange: (orderId, secret, address = '192.0.2.1', at = path) =>
      read(
        handle(
          request(
            'POST',
            `${at}/token`,
            { origin: ORIGIN, authorization: `Bearer ${secret}` },
            JSON.stringify({ orderId }),
          ),
          address,
        ),
      ),
    async sell(name = 'main') {
      const { orderId, orderSecret } = await run(relay.createOrder(name, DRAFT));
      const { body } = await here.exchange(orderId, orderSecret, '192.0.2.1', own(name));
      return { orderId, orderSecret, invoiceId: body.invoiceId, token: body.token };
    },
    ask: ({ invoiceId, token }, method = 'GET', end = '', at = path) =>
      read(
        handle(
          request(method, `${at}/v1/invoices/${invoiceId}${end}`, {
            origin: ORIGIN,
            authorization: `Bearer ${token}`,
          }),
        ),
      ),
    async connect({ token }, says = null, state = 1, at = path) {
      const response = await handle(
        request('GET', `${at}/live`, {
          origin: ORIGIN,
          upgrade: 'websocket',
          'sec-websocket-protocol': `paystate.v1, ${token}`,
        }),
      );
      if (!opensSocket(response)) throw new Error(`no socket: ${response.status}`);
      const socket = new Socket();
      socket.readyState = state;
      response.connect(socket);
      if (says !== 'silent') socket.tell('message', JSON.stringify({ resume: says }));
      await advance(1_500);
      return socket;
    },
    async pay(invoiceId) {
      await sandbox.payer.pay(invoiceId);
    },
  };
  return here;
}
