import * as endpoints from '../endpoints.ts';
import * as registry from '../resources/registry.ts';
import type { ResourceModule } from '../resources/resource.ts';
import type { ApiRoute, Form, FormField, PageResource } from './page/server.ts';
import { apiRows } from './api-rows.ts';
import { SAMPLES } from './samples.ts';

/** All API endpoints. Paths with fewer parameters come first, so they match first. */
export const pageRoutes: readonly ApiRoute[] = apiRows
  .map(({ method, path, operation, input }) => ({ method, path, operation, hasDraft: !!input }))
  .sort((one, other) => parametersIn(one.path) - parametersIn(other.path));

function parametersIn(path: string): number {
  return path.split('{').length;
}

/** Labels for buttons that send an API request, by operation name. */
const COMMANDS: Readonly<Record<string, string>> = {
  cancel: 'Cancel',
  execute: 'Execute',
  initiate: 'Initiate',
  quote: 'Make a code',
  remove: 'Delete',
};

/**
 * Labels for buttons that simulate a bank or a network, by resulting state. All other states follow
 * automatically or from API requests.
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

const ONE = /^\/v1\/([a-z/-]+)\/\{(\w+)\}$/;

/** Resources at the top of the navigation. All others follow in registry order. */
const FIRST = [
  'invoice',
  'receiveRequest',
  'receive',
  'payment',
  'currencyExchangeQuote',
  'payout',
];

/** Received payments, which have their own section because they have their own list and states. */
const RECEIVES: PageResource = {
  name: endpoints.receiveRequests.listAllReceives.path.replace('/v1/', ''),
  subject: 'receive',
  title: 'Receives',
  one: 'receive',
  id: 'receiveId',
  moves: movesIn(endpoints.receiveStates.transitions),
  commands: [],
  empty: 'None yet. Pay a receive request.',
};

/** The page's navigation sections, in display order. */
export const pageResources: readonly PageResource[] = [
  ...Object.entries<ResourceModule>(registry).flatMap(sectionFor),
  RECEIVES,
].sort((one, other) => rank(one) - rank(other));

function rank({ subject }: PageResource): number {
  const rank = FIRST.indexOf(subject);
  return rank < 0 ? FIRST.length : rank;
}

/**
 * Returns the navigation section for a resource. Returns an empty array for events and for
 * resources that can't be read by id.
 */
function sectionFor([member, { resource }]: readonly [string, ResourceModule]): PageResource[] {
  const get = apiRows.find(({ operation }) => operation === `${member}.get`);
  const [, name, parameter = ''] = ONE.exec(get?.path ?? '') ?? [];
  if (name === undefined || member === 'events') return [];
  const create = apiRows.find(({ operation }) => operation === `${member}.create`);
  const from = create ?? endpoints.paymentQuotes.execute;
  return [
    {
      name,
      subject: resource.name,
      title: capital(toWords(member)),
      one: toWords(resource.name),
      id: Object.hasOwn(get?.output?.schema?.entries ?? {}, parameter) ? parameter : 'id',
      moves: movesIn(resource.states?.transitions ?? {}),
      commands: pageRoutes.flatMap(({ method, path, operation }) => {
        const label = COMMANDS[operation.split('.').at(-1)!];
        return label && path.startsWith(`/v1/${name}/{`) ? [{ method, path, label }] : [];
      }),
      empty: `None yet. ${from.method} ${from.path} creates one.`,
    },
  ];
}

function movesIn(transitions: Readonly<Record<string, readonly string[]>>): PageResource['moves'] {
  const moves = Object.entries(transitions).map(([state, next]) => [
    state,
    next.flatMap((to) => (ACTIONS[to] === undefined ? [] : [{ to, label: ACTIONS[to] }])),
  ]);
  return Object.fromEntries(moves);
}

/**
 * Converts a camel-case name to words. For example, `payoutOriginator` becomes "payout originator".
 */
export function toWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function capital(words: string): string {
  return words.replace(/^./, (letter) => letter.toUpperCase());
}

interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly string[];
  readonly pipe?: readonly (Schema & { readonly requirement?: unknown })[];
}

/** Suggested values by schema, for strings that may have other values too. */
const KNOWN: ReadonlyMap<unknown, readonly string[]> = new Map(
  Object.values<ResourceModule>(registry)
    .flatMap(({ known }) => known?.() ?? [])
    .map(([schema, texts]) => [schema, Object.keys(texts)]),
);

/** Forms for all create requests that have sample values. */
export const pageForms: readonly Form[] = Object.entries(SAMPLES).map(([operation, sample]) => {
  const { method, path, input } = apiRows.find((row) => row.operation === operation)!;
  const fields = listFields(input!.schema as Schema, sample, '', true);
  const [member = '', name = ''] = operation.split('.');
  const way = name.replace('create', ''); // `Lightning` or `Onchain` for payment quotes
  const title = capital(toWords(member.replace(/s$/, ''))) + (way && `, ${way}`);
  return { operation, title, method, path, fields };
});

/**
 * Returns the form fields for a schema. Nested fields have a path, and only the first item of an
 * array gets a field.
 */
function listFields(
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
      listFields(entry, (sample as Record<string, unknown>)?.[name], inner(name), needed),
    );
  if (schema.type === 'array' && unwrap(schema.item!).schema.entries)
    return listFields(schema.item!, (sample as unknown[])?.[0], inner('0'), needed);
  const texts = Array.isArray(sample) ? sample.join(', ') : undefined;
  const options = schema.options ?? known ?? KNOWN.get(schema);
  const maxLength = pipe.find(({ type }) => type === 'max_length')?.requirement;
  return [
    {
      path,
      type: fieldType(schema),
      isRequired: needed,
      ...(options && { options }),
      ...(typeof maxLength === 'number' && schema.type === 'string' && { maxLength }),
      value: texts ?? String(sample ?? ''),
    },
  ];
}

function fieldType({ type }: Schema): FormField['type'] {
  if (type === 'array') return 'texts';
  return type === 'boolean' || type === 'number' ? type : 'text';
}

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
