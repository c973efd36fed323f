// A shop's Worker as small as it can be: the relay, its two objects, and doors for the test that knows about them.
import { createClient } from 'paystate';
import {
  AccountObject,
  createRelay,
  type ObjectNamespace,
  InvoiceRoom,
  type DurableObjectContext,
} from 'paystate/relay';

export interface Env {
  readonly ACCOUNT: ObjectNamespace;
  readonly ROOMS: ObjectNamespace;
  readonly SERVICE: string;
  readonly API_KEY: string;
  readonly ORIGIN: string;
  readonly TOKEN_SECRET: string;
  readonly WEBHOOK_SECRET: string;
  /** Who kills the process of the Worker when it is told of a step; absent: the object is aborted. */
  readonly KILLER?: string;
}

const accountOf = (env: Env) => env.ACCOUNT.get(env.ACCOUNT.idFromName('main'));
const tokensOf = ({ ORIGIN, TOKEN_SECRET }: Env) => ({ origin: ORIGIN, tokenSecret: TOKEN_SECRET });

/** The time of the account object is stopped by a test that counts requests of a window. */
let stoppedAt: number | undefined;

/** Steps until the account object is killed; the one at which it was is kept outside of it. */
let stepsLeft = Infinity;
let killedAt: string | undefined;
let steps = 0;

/** A step of the account object that leaves it: before and after each it may be killed. */
function stepsOf(ctx: { abort?(why: string): void }, { KILLER: killer }: Env) {
  const step = async (name: string): Promise<void> => {
    steps++;
    if (--stepsLeft !== 0) return;
    killedAt = name;
    if (killer) await fetch(killer, { method: 'POST', body: JSON.stringify({ killedAt: name }) });
    ctx.abort!('killed at a step');
    await new Promise(() => {});
  };
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    await step(`before ${name}`);
    const done = await work();
    await step(`after ${name}`);
    return done;
  };
}

/** Timers of clients that are set: an object with one does not sleep. */
const timers = new Set<ReturnType<typeof setTimeout>>();

/** The machine's clock with another time of day. */
function clockBy(now: () => number) {
  const after = (ms: number, ring: () => void) => {
    const end = () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
    const timer = setTimeout(() => (end(), ring()), Math.max(0, ms));
    timers.add(timer);
    return end;
  };
  return {
    now,
    monotonic: () => performance.now(),
    after,
    wait: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        const stop = after(ms, resolve);
        signal?.addEventListener('abort', () => (stop(), resolve()), { once: true });
      }),
    external: <T>(work: Promise<T>) => work,
  };
}

// What a test may do with an object beside asking it: ring its alarm, read and change its memory, kill it.
async function byForce(
  request: Request,
  ctx: DurableObjectContext & {
    abort(why: string): void;
    readonly storage: { deleteAlarm(): Promise<void> };
  },
  alarm: () => Promise<void>,
): Promise<Response | undefined> {
  const call = new URL(request.url).pathname;
  if (call === '/ring') await alarm();
  else if (call === '/disarm') await ctx.storage.deleteAlarm();
  else if (call === '/kill') ctx.abort('killed by a test');
  else if (call === '/sql') {
    const [query, ...bindings] = (await request.json()) as [string, ...unknown[]];
    return Response.json(ctx.storage.sql.exec(query, ...bindings).toArray());
  } else if (call !== '/alarm') return undefined;
  return Response.json({ alarm: await ctx.storage.getAlarm() });
}

export class Account extends AccountObject {
  readonly #ctx: DurableObjectContext;
  readonly #gate: ReturnType<typeof stepsOf>;

  constructor(ctx: DurableObjectContext, env: Env) {
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS shipped (key TEXT, correlation TEXT)');
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS goods (order_id TEXT, what TEXT, paid TEXT, key TEXT)',
    );
    const gate = stepsOf(ctx as never, env);
    timers.clear(); // those of an object that was killed never ring
    let reason = '';
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS sent (reason TEXT, url TEXT)');
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS problems (invoice_id TEXT, problem TEXT)');
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS broken (order_id TEXT)');
    super(ctx, {
      client: createClient({
        baseUrl: env.SERVICE,
        apiKey: env.API_KEY,
        clock: clockBy(() => stoppedAt ?? Date.now()),
        onRequest: (request) => void (reason = request.reason),
        fetch(input, init) {
          ctx.storage.sql.exec('INSERT INTO sent VALUES (?, ?)', reason, String(input)); // told just before
          return gate(`${init?.method} ${reason}`, () => fetch(input, init));
        },
      }),
      rooms: {
        idFromName: (name) => env.ROOMS.idFromName(name),
        get: (id) => ({
          fetch: (...given) => gate('a room', () => env.ROOMS.get(id).fetch(...given)),
        }),
      },
      secrets: env.WEBHOOK_SECRET,
      leaseDuration: 2_000,
      on: {
        invoicePaid: ({ correlationId = '' }, { key, tx }) =>
          tx((sql) => sql.run('INSERT INTO shipped VALUES (?, ?)', key, correlationId)),
        async orderPaid({ orderId, draft, invoice }, { key, tx }) {
          await gate('a handler', async () => {
            if (env.KILLER)
              await fetch(env.KILLER, {
                method: 'POST',
                body: JSON.stringify({ ran: orderId, key }),
              });
          });
          if (
            ctx.storage.sql.exec('SELECT 1 FROM broken WHERE order_id = ?', orderId).toArray()
              .length > 0
          )
            throw new Error('not yet');
          tx((sql) =>
            sql.run(
              'INSERT INTO goods VALUES (?, ?, ?, ?)',
              ...[orderId, draft.description ?? null, invoice.amount.amount, key],
            ),
          );
        },
      },
      onProblem(problem) {
        if (problem.kind === 'handler-failed')
          ctx.storage.sql.exec(
            'INSERT INTO problems VALUES (?, ?)',
            problem.key,
            '"handler-failed"',
          );
        if (problem.kind === 'not-ours')
          ctx.storage.sql.exec(
            'INSERT INTO problems VALUES (?, ?)',
            problem.invoiceId,
            JSON.stringify(problem),
          );
        throw new Error('its own business');
      },
    });
    this.#ctx = ctx;
    this.#gate = gate;
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/webhook')
      return this.#gate('a delivery', () => super.fetch(request));
    if (new URL(request.url).pathname === '/timers') return Response.json({ timers: timers.size });
    if (new URL(request.url).pathname === '/stop-time')
      return Response.json({ stoppedAt: (stoppedAt = stoppedAt ? undefined : Date.now()) ?? null });
    return (await byForce(request, this.#ctx as never, () => this.alarm())) ?? super.fetch(request);
  }
}

export class Room extends InvoiceRoom {
  readonly #ctx: DurableObjectContext;
  readonly #time: { ahead: number };

  constructor(ctx: DurableObjectContext, env: Env) {
    const time = { ahead: 0 };
    const clock = clockBy(() => Date.now() + time.ahead);
    super(ctx, { account: () => accountOf(env), clock, ...tokensOf(env) });
    this.#ctx = ctx;
    this.#time = time;
  }

  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === '/pass')
      return Response.json({ ahead: (this.#time.ahead += (await request.json()) as number) });
    return (await byForce(request, this.#ctx as never, () => this.alarm())) ?? super.fetch(request);
  }
}

// Without the checks of the gateway: a test says what it wants of an object.
const doors: Readonly<
  Record<string, (env: Env, rest: string, request: Request) => ReturnType<typeof fetch>>
> = {
  account: (env, call, request) =>
    accountOf(env).fetch(new Request(`https://object/${call}`, request)),
  room: (env, rest, request) => {
    const [id, call] = rest.split('/');
    return env.ROOMS.get(env.ROOMS.idFromName(`main/${id}`)).fetch(
      new Request(`https://object/${call}`, request),
    );
  },
  hooks: (env, _account, request) => relayOf(env).handleWebhook(request),
  woken: async () => Response.json({ woken }),
  'kill-at': async (_env, _rest, request) => {
    stepsLeft = ((await request.json()) as { readonly step: number }).step || Infinity;
    const said = Response.json({ steps, killedAt });
    steps = 0;
    killedAt = undefined;
    return said;
  },
  token: async (env, invoiceId) => new Response(await relayOf(env).createToken(invoiceId)),
  order: async (env, _rest, request) =>
    Response.json(await relayOf(env).createOrder((await request.json()) as never)),
};

/** Requests that the relay has sent to the account object. */
let woken = 0;

const relayOf = (env: Env) =>
  createRelay({
    ...tokensOf(env),
    account: {
      fetch: (...request) => {
        woken++;
        return accountOf(env).fetch(...request);
      },
    },
    rooms: env.ROOMS,
    secrets: env.WEBHOOK_SECRET,
  });

export default {
  async fetch(request: Request, env: Env, ctx: unknown): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, door = '', ...rest] = pathname.split('/');
    return doors[door]?.(env, rest.join('/'), request) ?? relayOf(env).handle(request, ctx);
  },
};
