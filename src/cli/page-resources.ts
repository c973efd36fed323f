import * as endpoints from '../endpoints.ts';
import * as registry from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import type { ApiCommand, ApiRoute, Form, FormField, Move, PageResource } from './page/server.ts';

type Transitions = Readonly<Record<string, readonly string[]>>;
type Facts = Pick<Resource<never>, 'name' | 'states' | 'idOf'>;
type Rows = Readonly<Record<string, { readonly method: string; readonly path: string }>>;

interface EndpointRow {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly input?: { readonly schema: unknown };
}

const rows: readonly EndpointRow[] = Object.values(endpoints)
  .flatMap((members) => Object.values(members as Readonly<Record<string, unknown>>))
  .filter((row): row is EndpointRow => typeof row === 'object' && row !== null && 'path' in row);

/** Every request of the API, those with fewer parameters first: they match before the others. */
export const pageRoutes: readonly ApiRoute[] = rows
  .map(({ method, path, operation, input }) => ({ method, path, operation, hasDraft: !!input }))
  .sort((one, other) => parametersIn(one.path) - parametersIn(other.path));

function parametersIn(path: string): number {
  return path.split('{').length;
}

/** The words on the buttons of the API's own commands. */
const COMMANDS: Readonly<Record<string, string>> = {
  cancel: 'Cancel',
  execute: 'Execute',
  initiate: 'Initiate',
  quote: 'Make a code',
  remove: 'Delete',
};

/**
 * Actions of the world outside, by the state that comes of them; the others change by
 * themselves or through the API.
 */
const ACTIONS: Readonly<Record<string, string>> = {
  APPROVED: 'Approve',
  READY: 'Make ready',
  COMPLETED: 'Complete',
  FAILED: 'Fail',
  REVERSED: 'Reverse',
  CANCELLED: 'Cancel',
  REJECTED: 'Reject',
  SUSPENDED: 'Suspend',
  INVALID: 'Make invalid',
  INACTIVE: 'Deactivate',
};

const rowsBy: ReadonlyMap<string, unknown> = new Map(Object.entries(endpoints));

/** An account's own resources that can be read by their id. */
const ONE = /^\/v1\/([a-z/-]+)\/\{\w+\}$/;

/** The resources that people open first; the others follow in the order of the registry. */
const FIRST = [
  'invoice',
  'receiveRequest',
  'receive',
  'payment',
  'currencyExchangeQuote',
  'payout',
];

/** The places of the rail: a line in the registry is a place. */
export const pageResources: readonly PageResource[] = Object.entries(registry)
  .flatMap(([member, { resource }]) => [
    ...sectionOf(member, resource as Facts),
    ...partsOf(member),
  ])
  .sort((one, other) => rankOf(one) - rankOf(other));

function rankOf({ subject }: PageResource): number {
  const rank = FIRST.indexOf(subject);
  return rank < 0 ? FIRST.length : rank;
}

/** Returns no section where the sandbox has no list of it, or where the page shows it apart. */
function sectionOf(member: string, resource: Facts): readonly PageResource[] {
  const rows = rowsBy.get(member) as Rows;
  const [, name] = ONE.exec(rows['get']?.path ?? '') ?? [];
  if (name === undefined || member === 'events') return [];
  const from = rows['create'] ?? endpoints.paymentQuotes.execute;
  return [
    {
      name,
      subject: resource.name,
      title: titleOf(member),
      one: wordsOf(resource.name),
      id: idOf(resource),
      states: Object.keys(resource.states?.transitions ?? {}),
      moves: movesIn(resource.states?.transitions ?? {}),
      commands: commandsOf(name),
      empty: `None yet. ${from.method} ${from.path} creates one.`,
    },
  ];
}

/** Actions of the API on one of them that take no body. */
function commandsOf(name: string): readonly ApiCommand[] {
  return pageRoutes.flatMap(({ method, path, operation }) => {
    const label = COMMANDS[operation.split('.').at(-1)!];
    return label && path.startsWith(`/v1/${name}/{`) ? [{ method, path, label }] : [];
  });
}

/** A receive has a list and a life of its own. */
function partsOf(member: string): readonly PageResource[] {
  if (member !== 'receiveRequests') return [];
  return [
    {
      name: endpoints.receiveRequests.listAllReceives.path.replace('/v1/', ''),
      subject: 'receive',
      title: 'Receives',
      one: 'receive',
      id: 'receiveId',
      states: Object.keys(endpoints.receiveStates.transitions),
      commands: [],
      moves: movesIn(endpoints.receiveStates.transitions),
      empty: 'None yet. Pay a receive request.',
    },
  ];
}

/** The member that identifies it: the one that `idOf` reads. */
function idOf({ idOf: read }: Facts): string {
  return read(new Proxy({}, { get: (_, member) => member }) as never);
}

function movesIn(transitions: Transitions): PageResource['moves'] {
  return Object.fromEntries(
    Object.entries(transitions).map(([state, next]) => [state, next.flatMap(moveTo)]),
  );
}

function moveTo(to: string): readonly Move[] {
  const label = ACTIONS[to];
  return label === undefined ? [] : [{ to, label }];
}

function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function titleOf(name: string): string {
  return wordsOf(name).replace(/^./, (letter) => letter.toUpperCase());
}

/** The part of a schema that a form reads. */
interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly string[];
  readonly pipe?: readonly (Schema & { readonly requirement?: unknown })[];
}

const PERSON = {
  type: 'INDIVIDUAL',
  name: 'Ada Example',
  dateOfBirth: '1990-01-02',
  address: {
    country: 'US',
    state: 'NY',
    city: 'New York',
    postCode: '10001',
    line1: '1 Main Street',
  },
};

/**
 * Values that are filled in, by operation: valid, so that a press sends it. `$` is found out by the
 * page.
 */
const SAMPLES: Readonly<Record<string, object>> = {
  'invoices.create': {
    amount: { amount: '12.50', currency: 'EUR' },
    description: 'Tea for two',
  },
  'receiveRequests.create': {
    bolt11: { amount: { amount: '0.0002', currency: 'BTC' }, description: 'Tea for two' },
    targetCurrency: 'EUR',
  },
  'paymentQuotes.createLightning': { lnInvoice: '$bolt11', sourceCurrency: 'EUR' },
  'paymentQuotes.createOnchain': {
    btcAddress: '$address',
    sourceCurrency: 'BTC',
    amount: { amount: '0.001', currency: 'BTC' },
    onchainTierId: '$tier',
  },
  'bankPaymentMethods.create': {
    transferType: 'ACH',
    accountNumber: '123456789',
    routingNumber: '021000021',
    accountType: 'CHECKING',
    bankName: 'A Bank',
    beneficiaries: [PERSON],
  },
  'payoutOriginators.create': PERSON,
  'payouts.create': { paymentMethodId: '$method', amount: '25.00' },
  'deposits.create': { paymentMethodId: '$method', amount: '50.00' },
  'currencyExchangeQuotes.create': {
    sell: 'EUR',
    buy: 'USD',
    amount: { amount: '10.00', currency: 'EUR' },
  },
  'subscriptions.create': {
    webhookUrl: 'http://127.0.0.1:8787/hooks',
    webhookVersion: 'v1',
    secret: 'a-secret-of-30-characters-long',
    enabled: true,
    eventTypes: ['invoice.created', 'invoice.updated'],
  },
};

/** Texts that the schemas leave open, by schema. */
const KNOWN: ReadonlyMap<unknown, readonly string[]> = new Map(
  Object.values(registry).flatMap((module) =>
    'known' in module
      ? module.known().map(([schema, texts]) => [schema, Object.keys(texts)] as const)
      : [],
  ),
);

/** A form for each request that makes something and for which the page has valid values. */
export const pageForms: readonly Form[] = Object.entries(SAMPLES).map(([operation, sample]) => {
  const { method, path, input } = rows.find((row) => row.operation === operation)!;
  const fields = fieldsOf(input!.schema as Schema, sample, '', true);
  return { operation, title: formTitleOf(operation), method, path, fields };
});

/** `paymentQuotes.createLightning` is "Payment quote, Lightning". */
function formTitleOf(operation: string): string {
  const [member = '', name = ''] = operation.split('.');
  const words = member.replace(/s$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const way = name.replace('create', '');
  return words.replace(/^./, (letter) => letter.toUpperCase()) + (way && `, ${way}`);
}

/** The members of a schema, nested ones by their path; of a list its first item. */
function fieldsOf(
  given: Schema,
  sample: unknown,
  path: string,
  isRequired: boolean,
): readonly FormField[] {
  const known = KNOWN.get(given);
  const { schema, isOptional, pipe } = unwrap(given);
  const needed = isRequired && !isOptional;
  const inner = (name: string): string => (path ? `${path}.${name}` : name);
  if (schema.entries)
    return Object.entries(schema.entries).flatMap(([name, entry]) =>
      fieldsOf(entry, (sample as Record<string, unknown>)?.[name], inner(name), needed),
    );
  if (schema.type === 'array' && unwrap(schema.item!).schema.entries)
    return fieldsOf(schema.item!, (sample as unknown[])?.[0], inner('0'), needed);
  const texts = Array.isArray(sample) ? sample.join(', ') : undefined;
  const options = schema.options ?? known ?? KNOWN.get(schema);
  const maxLength = pipe.find(({ type }) => type === 'max_length')?.requirement;
  return [
    {
      path,
      type: typeOf(schema),
      isRequired: needed,
      ...(options && { options }),
      ...(typeof maxLength === 'number' && schema.type === 'string' && { maxLength }),
      value: texts ?? String(sample ?? ''),
    },
  ];
}

function typeOf({ type }: Schema): FormField['type'] {
  if (type === 'array') return 'texts';
  return type === 'boolean' || type === 'number' ? type : 'text';
}

/** A schema without what makes it optional or checks it further. */
function unwrap(given: Schema): {
  readonly schema: Schema;
  readonly isOptional: boolean;
  readonly pipe: NonNullable<Schema['pipe']>;
} {
  if (given.wrapped) return { ...unwrap(given.wrapped), isOptional: true };
  const [first] = given.pipe ?? [];
  if (!first || first === given) return { schema: given, isOptional: false, pipe: [] };
  const inner = unwrap(first);
  return { ...inner, pipe: [...given.pipe!, ...inner.pipe] };
}
