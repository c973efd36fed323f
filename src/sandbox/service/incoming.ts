import type { AnyEndpoint, SchemaStructure } from '../../core/http/index.ts';
import { checkNames, LISTS, readParameters } from '../query/odata.ts';
import { assumptionOf } from '../provenance/alternatives.ts';
import type { ListAssumptions, ReadOptions } from '../query/lists.ts';
import { invalidData, ServiceRefusal } from '../world/responses.ts';
import { idFrom, isId } from '../world/randomness.ts';
import type { Key, World } from '../world/world.ts';
import { ValidationError } from '../../core/errors/index.ts';

/** A request as it reaches the service. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Where it comes from; limits are counted by it. */
  readonly address: string;
  /** How a fault changes what a read shows. */
  readonly readOptions?: ReadOptions | undefined;
}

/** The key that a request carries. */
export function keyOf(world: World, headers: Headers): Key {
  const key = knownKeyOf(world, headers);
  if (!key || key.isRevoked || world.clock.now() >= (key.until ?? Infinity))
    throw new ServiceRefusal('UNAUTHORIZED');
  return key;
}

/** The same, of a key that may have ended; absent where no account has it. */
export function knownKeyOf(world: World, headers: Headers): Key | undefined {
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return world.keys.get(text);
}

/** The query's members, by the names that handlers know. */
export function queryOf(
  world: World,
  row: AnyEndpoint,
  url: URL,
  comparisons: number,
): Readonly<Record<string, unknown>> {
  const list = row.method === 'GET' ? LISTS[row.path] : undefined;
  if (list) {
    const rules = listRulesOf(world, row.path);
    const isLenient = assumptionOf(world, 'lists.bounds') !== 'refused';
    const read = readParameters(list, url.searchParams, isLenient);
    return { ...read, rules, maxComparisons: comparisons };
  }
  if (row.method === 'GET') checkNames(Object.values(row.query ?? {}), url.searchParams);
  return Object.fromEntries(
    Object.entries(row.query ?? {}).map(([member, name]) => [
      member,
      flag(name, url.searchParams.get(name)),
    ]),
  );
}

const USUAL_PAGES = { 20: 20, 50: 50, 100: 100 } as const;

/** What is assumed of a list. Events are counted, as the service's description says. */
function listRulesOf(world: World, path: string): ListAssumptions {
  const isEvents = path === '/v1/events';
  const order = assumptionOf(world, isEvents ? 'events.order' : 'lists.order');
  return {
    usualPage: USUAL_PAGES[assumptionOf(world, 'lists.page')],
    most: assumptionOf(world, 'lists.bounds') === 'fifty' ? 50 : 100,
    isOldestFirst: order === 'oldest',
    isCounted: isEvents || assumptionOf(world, 'lists.count') === 'exact',
    isAnyCase: assumptionOf(world, 'filters.texts') === 'any-case',
  };
}

/** The only parameters beside those of lists are switches. */
function flag(field: string, text: string | null): true | undefined {
  if (text === 'true') return true;
  if (text === null || text === 'false') return undefined;
  throw invalidData([{ field, code: 'INVALID_DATA_VALUE', advice: 'must be true or false' }]);
}

/** The key under which a command is done once: a UUID. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isId(key)) return idFrom(key);
  throw invalidData([
    { field: 'idempotency-key', code: 'INVALID_DATA_VALUE', advice: 'must be a UUID' },
  ]);
}

const NOT_JSON = { field: 'body', code: 'INVALID_DATA', advice: 'must be application/json' };

/** The body, held to the row's own shape. */
export function draftOf(row: AnyEndpoint, { headers, body }: IncomingRequest): unknown {
  if (!row.input) return undefined;
  if (body && !/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw invalidData([NOT_JSON], { behaviour: 'bodies.type', status: 415 });
  try {
    const sent = body ? parse(body) : {};
    return withUnknown(row.input.read(knownOf(row.input.schema, sent)), sent);
  } catch (thrown) {
    throw thrown instanceof ValidationError ? invalidData(thrown.violations) : thrown;
  }
}

/** The body without members that its schema does not know, which the schema would refuse. */
function knownOf(schema: SchemaStructure | undefined, value: unknown): unknown {
  if (schema?.wrapped) return knownOf(schema.wrapped, value);
  if (schema?.item && Array.isArray(value)) return value.map((item) => knownOf(schema.item, item));
  if (!schema?.entries || !isObject(value)) return value;
  const { entries } = schema;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(entries, name));
  return Object.fromEntries(known.map(([name, member]) => [name, knownOf(entries[name], member)]));
}

/** The draft with the members that were left out: the service reads past what it does not know. */
function withUnknown(read: unknown, sent: unknown): unknown {
  if (read === sent) return read;
  if (Array.isArray(read) && Array.isArray(sent))
    return read.map((item, at) => withUnknown(item, sent[at]));
  if (!isObject(read) || !isObject(sent)) return read;
  const all: [string, unknown][] = Object.entries(sent).map(([name, member]) => [
    name,
    Object.hasOwn(read, name) ? withUnknown(read[name], member) : member,
  ]);
  return Object.fromEntries(
    all.filter(([name]) => !['__proto__', 'constructor', 'prototype'].includes(name)),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalidData([{ field: 'body', code: 'INVALID_DATA', advice: 'is not JSON' }], {
      behaviour: 'bodies.json',
    });
  }
}
