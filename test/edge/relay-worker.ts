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
}

const accountOf = (env: Env) => env.ACCOUNT.get(env.ACCOUNT.idFromName('main'));
const tokensOf = ({ ORIGIN, TOKEN_SECRET }: Env) => ({ origin: ORIGIN, tokenSecret: TOKEN_SECRET });

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

  constructor(ctx: DurableObjectContext, env: Env) {
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS shipped (key TEXT, correlation TEXT)');
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS goods (order_id TEXT, what TEXT, paid TEXT, key TEXT)',
    );
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS problems (invoice_id TEXT, problem TEXT)');
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS broken (order_id TEXT)');
    super(ctx, {
      client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
      rooms: env.ROOMS,
      secrets: env.WEBHOOK_SECRET,
      leaseDuration: 2_000,
      on: {
        invoicePaid: ({ correlationId = '' }, { key, tx }) =>
          tx((sql) => void sql.exec('INSERT INTO shipped VALUES (?, ?)', key, correlationId)),
        orderPaid({ orderId, draft, invoice }, { key, tx }) {
          if (
            ctx.storage.sql.exec('SELECT 1 FROM broken WHERE order_id = ?', orderId).toArray()
              .length > 0
          )
            throw new Error('not yet');
          tx(
            (sql) =>
              void sql.exec(
                'INSERT INTO goods VALUES (?, ?, ?, ?)',
                orderId,
                draft.description,
                invoice.amount.amount,
                key,
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
  }

  override async fetch(request: Request): Promise<Response> {
    return (await byForce(request, this.#ctx as never, () => this.alarm())) ?? super.fetch(request);
  }
}

export class Room extends InvoiceRoom {
  readonly #ctx: DurableObjectContext;

  constructor(ctx: DurableObjectContext, env: Env) {
    super(ctx, { account: () => accountOf(env), ...tokensOf(env) });
    this.#ctx = ctx;
  }

  override async fetch(request: Request): Promise<Response> {
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
  token: async (env, invoiceId) => new Response(await relayOf(env).createToken(invoiceId)),
  order: async (env, _rest, request) =>
    Response.json(await relayOf(env).createOrder((await request.json()) as never)),
};

const relayOf = (env: Env) =>
  createRelay({ ...tokensOf(env), account: accountOf(env), rooms: env.ROOMS });

export default {
  async fetch(request: Request, env: Env, ctx: unknown): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, door = '', ...rest] = pathname.split('/');
    return doors[door]?.(env, rest.join('/'), request) ?? relayOf(env).handle(request, ctx);
  },
};
