// One command: what the model says to a request, and whether the service says the same.
import { expect } from 'chai';
import {
  difference,
  invalid,
  No,
  refused,
  type Said,
  unknown,
  unknownReference,
} from './answers.ts';
import { type Entity, type Look, Model } from './model.ts';
import { ACCOUNTS, BEGINNING, type Real, type Request, routeOf } from './real.ts';
import { unitsOf } from './decimals.ts';

export interface Play {
  readonly model: Model;
  readonly real: Real;
}

export interface Predicted {
  /** What every request of this kind must look like. */
  readonly shape?: () => void;
  readonly answer: () => Said;
}

/** Sliding windows as published, counted here by themselves. */
export interface Meter {
  readonly limit: number;
  readonly window: number;
  readonly block: number;
}

interface Count {
  sent: number[];
  blockedUntil: number;
}

const GROUPS: Readonly<Record<string, string>> = {
  'POST /v1/invoices': 'invoices',
  'POST /v1/invoices/handle/{handle}': 'invoices',
  'POST /v1/invoices/{id}/quote': 'invoice-quotes',
  'POST /v1/payment-quotes/lightning': 'payment-quotes',
  'POST /v1/payment-quotes/lightning/lnurl': 'payment-quotes',
  'POST /v1/payment-quotes/onchain': 'payment-quotes',
  'PATCH /v1/payment-quotes/{id}/execute': 'execute',
  'GET /v1/rates/ticker': 'rates',
};

/** True where the request is one too many, or comes during a block. */
const isBlocked = ({ model }: Play, { method, path }: Request): boolean => {
  const meters = model.tables.get('limits') as Readonly<Record<string, Meter>> | undefined;
  const group = GROUPS[`${method} ${routeOf(path)}`] ?? 'others';
  const meter = meters?.[group];
  if (!meter) return false;
  const count = model.table<Count>(`meter/${group}`, () => ({ sent: [], blockedUntil: -1 }));
  if (model.now < count.blockedUntil) return true;
  count.sent = count.sent.filter((at) => at > model.now - meter.window);
  if (count.sent.length < meter.limit) return count.sent.push(model.now) < 0;
  count.blockedUntil = model.now + meter.block;
  return true;
};

const RESTING = [
  ['service MAINTENANCE', 'MAINTENANCE_MODE'],
  ['service UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
] as const;

const sayOf = (play: Play, request: Request, { shape, answer }: Predicted): Said => {
  const { as, key } = request;
  try {
    if (isBlocked(play, request)) throw refused('RATE_LIMIT_EXCEEDED');
    for (const [says, code] of RESTING) if (play.model.away.has(says)) throw refused(code);
    if (as === 'nobody') throw refused('UNAUTHORIZED');
    if (as === 'scopeless') throw refused('FORBIDDEN');
    if (!play.model.isReady(request.account)) throw refused('ACCOUNT_NOT_READY');
    shape?.();
    if (key !== undefined && !/^[\da-f-]{36}$/.test(key)) throw invalid('idempotency-key');
    return answer();
  } catch (thrown) {
    if (thrown instanceof No) return thrown.said;
    throw thrown;
  }
};

/** Sends a request, and holds the answer against the model's. */
export const ask = async (
  play: Play,
  request: Request,
  predicted: Predicted | (() => Said),
): Promise<void> => {
  const said = sayOf(
    play,
    request,
    typeof predicted === 'function' ? { answer: predicted } : predicted,
  );
  const { status, text, at, headers } = await play.real.send(request);
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const title = `${request.account.handle}: ${request.method} ${request.path} ${JSON.stringify(request.body)} → ${text}`;
  expect([status, status < 300 ? undefined : at('data.code')], title).to.deep.equal([
    said.status,
    said.code,
  ]);
  if (status >= 300) {
    expect(
      difference(
        { status, code: said.code, values: said.values, validationErrors: errorsOf(said) },
        at('data'),
      ),
      title,
    ).to.equal(undefined);
    if (said.code === 'RATE_LIMIT_EXCEEDED')
      expect(headers.get('retry-after'), title).to.match(/^\d+$/);
    return;
  }
  if (body === undefined) expect(said.body, title).to.equal(undefined);
  said.learn?.(body as never);
  const no = difference(typeof said.body === 'function' ? said.body() : said.body, body);
  expect(no, title).to.equal(undefined);
};

const errorsOf = ({ fields }: Said): object | undefined =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).map(([field, code]) => [field, [{ code, values: { field } }]]),
  );

/** Acts while somebody says something of the world: that Lightning is away, or the service. */
export const during = async (
  { model, real }: Play,
  subject: 'service' | 'lightning' | 'rates',
  state: string | undefined,
  act: () => Promise<void>,
): Promise<void> => {
  if (state === undefined) return act();
  const endFault = real.sandbox.fault({ subject, state });
  model.away.add(`${subject} ${state}`);
  await act();
  model.away.clear();
  endFault();
};

/** Refuses what needs Lightning while it is away. */
export const requireLightning = ({ away }: Model): void => {
  if (away.has('lightning UNAVAILABLE')) throw refused('LN_UNAVAILABLE');
};

/** What the world outside is asked to do: a code where it refuses. */
export const outside = async (
  { real }: Play,
  title: string,
  predicted: () => void,
  act: () => Promise<unknown> | unknown,
): Promise<void> => {
  let wanted: string | undefined;
  try {
    predicted();
  } catch (thrown) {
    if (!(thrown instanceof No)) throw thrown;
    wanted = thrown.said.code;
  }
  let found: string | undefined;
  try {
    await act();
  } catch (thrown) {
    found = (thrown as { code?: string }).code ?? `${thrown as Error}`;
  }
  real.reached.add(`${title.split(' ')[0]} ${found ?? 'done'}`);
  expect(found, title).to.equal(wanted);
};

/** Looks at an entity after this command. */
export const touch = (model: Model, entity: Entity, looks: () => readonly Look[]): void =>
  void model.changed.set(entity, looks);

/** An id that nothing has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Picks one of a list; now and then none. */
export const pick = <T>(list: readonly T[], at: number): T | undefined =>
  list.length === 0 || at % 12 === 11 ? undefined : list[at % list.length];

/** The one with this id, if the account may see it. */
export const owned = <T extends Entity>(found: T | undefined, isOwn: (one: T) => boolean): T => {
  if (!found || !isOwn(found)) throw unknown();
  return found;
};

/** The same of what a body refers to: the refusal names it. */
export const referred = <T extends Entity>(found: T | undefined, isOwn: (one: T) => boolean): T => {
  if (!found || !isOwn(found)) throw unknownReference(found?.id ?? NOBODY);
  return found;
};

/** A fresh model of a fresh sandbox. */
export const begin = async (
  real: Real,
  limits?: Readonly<Record<string, Meter>>,
): Promise<Model> => {
  const model = new Model(
    real.sandbox.clock.now(),
    ACCOUNTS.map((account) => ({ ...account })),
  );
  if (limits) model.tables.set('limits', limits);
  for (const account of model.accounts.values()) {
    const { word } = await real.look(
      account.isPrivate ? account : ACCOUNTS[0]!,
      `/v1/accounts/handle/${account.handle}/profile`,
    );
    account.id = word('id');
    for (const [currency, amount] of Object.entries(BEGINNING[account.handle]!))
      model.post([
        {
          from: 'bank',
          to: `${account.handle}.free`,
          money: { units: unitsOf(amount, currency)!, currency },
        },
      ]);
  }
  model.rates = await real.rates();
  return model;
};
