// Each way that an operation can go, run through its verb against the service: nothing is said that was not seen.
import { type Client, createClient, isPaystateError, type PaystateError } from 'paystate';
import type { AnyEndpoint } from 'paystate/endpoints';
import { rejectDrift } from 'paystate/schemas';
import { type Bank, openBank } from '../bank/bank.ts';
import { answering, json } from '../core/shop.ts';
import { endpointTables } from './endpoint-tables.ts';
import { type Arguments, BROKEN, OPERATIONS, REFUSALS } from './operations.ts';
import { published } from './published.ts';

export interface Operation {
  readonly name: string;
  readonly row: AnyEndpoint;
}

/** All rows that are published. */
export const operations: readonly Operation[] = Object.entries(endpointTables)
  .flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, row]) => ({ name: `${resource}.${verb}`, row })),
  )
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const NOBODY: Readonly<Record<string, string>> = {
  handle: 'nobody',
  lnAddressOrUrl: 'nobody@wallet.example',
};
const NO_ID = '00000000-0000-4000-8000-000000000000';
const BEGINNING = { BTC: '1', USD: '1000.00', EUR: '1000.00' };

const open = (): Bank =>
  openBank({
    accounts: [
      { handle: 'shop', defaultCurrency: 'USD', balances: BEGINNING },
      { handle: 'friend' },
    ],
  });

/** Calls the verb of an operation; a list is read. */
function call(client: Client, name: string, given: Arguments): Promise<unknown> {
  const [resource = '', verb = ''] = name.split('.');
  const begun = (
    client as unknown as Record<string, Record<string, (...given: Arguments) => object>>
  )[resource]?.[verb]?.(...given);
  if (!begun) throw new Error(`no verb has the name ${name}`);
  return 'toArray' in begun
    ? (begun as { toArray(options: object): Promise<unknown> }).toArray({ limit: 5 })
    : (begun as Promise<unknown>);
}

function demand(holds: unknown, text: string): asserts holds {
  if (!holds) throw new Error(text);
}

async function ready(name: string, bank: Bank): Promise<Arguments> {
  const make = OPERATIONS[name];
  demand(make, `nothing says what ${name} is called with`);
  return make(bank);
}

const failure = async (work: Promise<unknown>): Promise<PaystateError> => {
  const thrown: unknown = await work.then(
    (value) => new Error(`resolved to ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!isPaystateError(thrown)) throw thrown;
  return thrown;
};

async function refusedWith(
  work: Promise<unknown>,
  status: number,
  code: string,
): Promise<PaystateError> {
  const error = await failure(work);
  demand(error.status === status && error.code === code, `answered ${error.status} ${error.code}`);
  return error;
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
const hasId = ({ row }: Operation): boolean => row.path.includes('{');
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The arguments with a draft that breaks a rule. */
const broken = (name: string, given: Arguments): Arguments => [
  ...given.slice(0, -1),
  BROKEN[name] ?? {},
];

type Path = (operation: Operation) => Promise<void>;

/** The answer comes, is read by its schema, and has nothing that the schema does not know. */
const succeeds: Path = async ({ name, row }) => {
  const bank = open();
  const given = await ready(name, bank);
  const before = bank.sandbox.log.length;
  const value = await bank.run(
    call(createClient({ ...bank.sandbox.clientOptions, drift: rejectDrift }), name, given),
  );
  const [sent] = bank.sandbox.log.slice(before);
  demand(
    sent?.method === row.method && patternOf(row.path).test(decodeURIComponent(sent.path)),
    `sent ${sent?.method} ${sent?.path}`,
  );
  demand(row.statuses.includes(sent.status!), `answered ${sent.status}`);
  demand(
    isList(value) ? value.length > 0 : (value === undefined) === (row.output === undefined),
    'resolved to nothing, or to something from nowhere',
  );
};

/** The draft is read by its schema, and a wrong one by neither side. */
const checksInput: Path = async ({ name, row }) => {
  const bank = open();
  const given = await ready(name, bank);
  row.input!.read(given.at(-1));
  const before = bank.sandbox.log.length;
  const error = await failure(bank.run(call(bank.client, name, broken(name, given))));
  demand(
    error.kind === 'input' && error.outcome === 'not-done' && bank.sandbox.log.length === before,
    `the client said ${error.code}`,
  );
  const path = row.path.replace(/\{\w+\}/, String(given[0]));
  const headers = {
    authorization: `Bearer ${bank.sandbox.clientOptions.apiKey}`,
    'content-type': 'application/json',
  };
  const answer = await bank.run(
    bank.sandbox.fetch(path, {
      method: row.method,
      headers,
      body: JSON.stringify(BROKEN[name] ?? {}),
    }),
  );
  const { data } = (await answer.json()) as { data: { code: string; validationErrors?: object } };
  demand(
    answer.status === 400 &&
      data.code === 'INVALID_DATA' &&
      Object.keys(data.validationErrors ?? {}).length > 0,
    `the service said ${answer.status} ${data.code}`,
  );
};

/** What is no answer of this operation is not taken for one. */
const checksOutput: Path = async ({ name, row }) => {
  const bank = open();
  const given = await ready(name, bank);
  const strange = createClient({
    ...bank.sandbox.clientOptions,
    fetch: answering(json('strange', row.statuses[0])).fetch,
    maxAttempts: 1,
  });
  const error = await failure(bank.run(call(strange, name, given)));
  demand(error.kind === 'response' && error.code === 'RESPONSE_INVALID', `was ${error.code}`);
};

const needsLogin: Path = async ({ name }) => {
  const bank = open();
  const given = await ready(name, bank);
  await refusedWith(
    bank.run(
      call(createClient({ ...bank.sandbox.clientOptions, apiKey: 'F'.repeat(64) }), name, given),
    ),
    401,
    'UNAUTHORIZED',
  );
};

const needsScope: Path = async ({ name, row }) => {
  const bank = open();
  const given = await ready(name, bank);
  const scopes = operations.map((other) => other.row.scope).filter((scope) => scope !== row.scope);
  const error = await refusedWith(
    bank.run(call(createClient(bank.sandbox.clientOptionsFor({ scopes })), name, given)),
    403,
    'FORBIDDEN',
  );
  demand(error.neededScope === row.scope, `named the scope ${error.neededScope}`);
};

const isNotFound: Path = async ({ name, row }) => {
  const bank = open();
  const [, ...rest] = await ready(name, bank);
  const [, member = ''] = /\{(\w+)\}/.exec(row.path) ?? [];
  await refusedWith(
    bank.run(call(bank.client, name, [NOBODY[member] ?? NO_ID, ...rest])),
    404,
    'NOT_FOUND',
  );
};

const refusesQuery: Path = async ({ name, row }) => {
  const bank = open();
  const [id] = await ready(name, bank);
  const query = row.query!['filter'] ? '$filter=nonsense' : '$top=101';
  const headers = { authorization: `Bearer ${bank.sandbox.clientOptions.apiKey}` };
  const answer = await bank.run(
    bank.sandbox.fetch(`${row.path.replace(/\{\w+\}/, String(id))}?${query}`, { headers }),
  );
  const { data } = (await answer.json()) as { data: { code: string } };
  demand(
    answer.status === 400 && data.code === 'INVALID_DATA_QUERY',
    `answered ${answer.status} ${data.code}`,
  );
};

const refuses: Path = async ({ name, row: { idempotency: repeat } }) => {
  const bank = open();
  const [code, make] = REFUSALS[name]!;
  const error = await failure(bank.run(call(bank.client, name, await make(bank))));
  const outcome =
    repeat === 'same-request' && /_INITIATED$|_CANCELLED$/.test(code) ? 'unknown' : 'not-done'; // it is so already: whether by this call, nobody knows
  demand(
    error.code === code && error.outcome === outcome && error.kind === 'refused',
    `answered ${error.code}, ${error.outcome}`,
  );
};

/** Executed quotes have nobody who could resolve the lost answer: only the same quote may be executed again. */
const RESOLVES = ({ name, row: { idempotency: repeat } }: Operation): boolean =>
  repeat !== 'none' && repeat !== 'key-only' && name !== 'paymentQuotes.execute';

/** The request had its effect, and its answer was lost: what follows is what the row's way of repeating says. */
const losesAnswer: Path = async (operation) => {
  const { name, row } = operation;
  const bank = open();
  const given = await ready(name, bank);
  const before = bank.sandbox.log.length;
  bank.sandbox.fault({ method: row.method, path: row.path, nth: 1, action: 'lost-after' });
  const work = bank.run(call(bank.client, name, given));
  const error = RESOLVES(operation) ? void (await work) : await failure(work);
  const sent = bank.sandbox.log
    .slice(before)
    .filter(
      ({ method, path }) =>
        method === row.method && patternOf(row.path).test(decodeURIComponent(path)),
    );
  if (!error) {
    demand(sent.length >= 2, 'was not asked again');
    const isDoneOnce =
      /^(safe|pure|convergent)$/.test(row.idempotency) ||
      sent.slice(1).every(({ status }) => status! >= 400);
    return demand(isDoneOnce, 'was done twice');
  }
  if (row.idempotency === 'key-only')
    return demand(
      sent.length === 2 && error.code === 'DUPLICATE_PAYMENT_QUOTE' && error.next === 'new-quote',
      `${error.code}, ${error.next}, sent ${sent.length}`,
    );
  demand(
    sent.length === 1 && error.outcome === 'unknown' && error.next === 'read-first',
    `${error.outcome}, ${error.next}, sent ${sent.length}`,
  );
  demand(
    row.idempotency !== 'none' || error.maybeCreated,
    'does not say that something may have been made',
  );
};

interface Column {
  readonly title: string;
  applies(operation: Operation): boolean;
  readonly run: Path;
}

const always = (): boolean => true;

export const columns: readonly Column[] = [
  { title: 'success', applies: always, run: succeeds },
  { title: 'input', applies: ({ row }) => row.input !== undefined, run: checksInput },
  { title: 'output', applies: ({ row }) => row.output !== undefined, run: checksOutput },
  { title: '401', applies: always, run: needsLogin },
  { title: '403', applies: always, run: needsScope },
  { title: '404', applies: hasId, run: isNotFound },
  { title: 'query', applies: ({ row }) => row.query?.['top'] !== undefined, run: refusesQuery },
  { title: 'refused', applies: ({ name }) => name in REFUSALS, run: refuses },
  { title: 'lost', applies: always, run: losesAnswer },
];

/** Runs one way of one operation: `undefined` where it has none, '' where all is well, else what is wrong. */
export async function troubleOf(
  operation: Operation,
  { applies, run }: Column,
): Promise<string | undefined> {
  if (!applies(operation)) return undefined;
  return run(operation).then(
    () => '',
    (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
  );
}

/** Lines in which the rows and what is published differ. */
export function differences(): readonly string[] {
  const rows = operations.map(
    ({ name, row: { method, path, statuses, scope, idempotency: repeat, bucket } }) =>
      [
        name,
        method,
        path.replace(/\{\w+\}/g, '{}'),
        statuses[0],
        scope.replace('partner.', ''),
        repeat,
        bucket,
      ].join(' '),
  );
  return [
    ...rows.filter((line) => !published.includes(line)),
    ...published.filter((line) => !rows.includes(line)),
  ];
}

/** Names that are in one of the three places and not in all: rows, verbs, calls of this table. */
export function strays(): readonly string[] {
  const { client } = open();
  const rows = new Set(operations.map(({ name }) => name));
  const verbs = new Set(
    Object.entries(client).flatMap(([resource, verbs]) =>
      resource in endpointTables
        ? Object.keys(verbs as object).map((verb) => `${resource}.${verb}`)
        : [],
    ),
  );
  for (const verb of verbs) if (verb.endsWith('.watch')) verbs.delete(verb); // has no endpoint
  const composed = new Set(['invoices.ensure']); // of other verbs
  const all = new Set([
    ...rows,
    ...verbs,
    ...Object.keys(OPERATIONS),
    ...Object.keys(REFUSALS),
    ...Object.keys(BROKEN),
  ]);
  return [...all].filter(
    (name) => !composed.has(name) && !(rows.has(name) && verbs.has(name) && name in OPERATIONS),
  );
}
