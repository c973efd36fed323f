// Every operation of a client with arguments for it, found from the client and the rows: a new
// resource is in by itself.
import type { Client } from 'paystate';
import type { AnyEndpoint } from 'paystate/endpoints';
import { endpointTables } from '../../unit/contract/endpoint-tables.ts';

/** The part of a schema that says where texts are. */
interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly options?: readonly (Schema | string)[];
}

interface Input {
  readonly schema: Schema;
  /** Throws for a draft that does not fit. */
  read(draft: unknown): unknown;
}

type Path = readonly (string | number)[];
type Begin = (client: Client, given: readonly unknown[]) => unknown;

interface PlaceFacts {
  /** `resource.verb`. */
  readonly name: string;
  readonly row: AnyEndpoint;
  /** Puts a text there, and calls. */
  call(client: Client, text: string): unknown;
}

/** A place of an operation where a text can be put. */
export type Place = PlaceFacts &
  (
    | { readonly slot: 'segment' | 'filter' | 'query' | 'key'; readonly what: string }
    | { readonly slot: 'body'; readonly what: Path }
    | { readonly slot: 'none'; readonly what: '' }
  );

type Verb = (...given: readonly unknown[]) => unknown;
type Resources = Readonly<Record<string, Readonly<Record<string, Verb>>>>;
/** The resources of a client by their names, whatever they take. */
const resourcesOf = (client: Client): Resources => client as unknown as Resources;

/** Texts that a field of this name takes. */
const SAMPLES: Readonly<Record<string, string>> = {
  amount: '1.00',
  currency: 'USD',
  sell: 'USD',
  buy: 'BTC',
  sourceCurrency: 'USD',
  targetCurrency: 'USD',
  webhookUrl: 'https://shop.example/hook',
  webhookVersion: 'v1',
  secret: '0123456789abcdef',
  dateOfBirth: '1990-01-01',
  email: 'ada@mail.example',
  url: 'https://shop.example',
  descriptionHash: 'a'.repeat(64),
  transferType: 'ACH',
  type: 'INDIVIDUAL',
  country: 'US',
  feePolicy: 'INCLUSIVE',
  eventTypes: 'invoice.created',
  accountType: 'CHECKING',
  lnAddressOrUrl: 'ada@wallet.example',
};

/** Members that some drafts need in addition to those of their schemas. */
const EXTRA: Readonly<Record<string, object>> = {
  'bankPaymentMethods.create': { routingNumber: '021000021', accountType: 'CHECKING' },
  'payoutOriginators.create': {
    address: { line1: 'Street 1', city: 'Town', country: 'US', postCode: '10000' },
  },
  'receiveRequests.create': { bolt11: {} },
  'subscriptions.update': { enabled: true },
};

/** Members of a filter that a verb reads as options, or to find out what it was given. */
const NO_MEMBERS: ReadonlySet<string> = new Set([
  'then',
  'pageSize',
  'cursor',
  'signal',
  'attemptTimeout',
  'callTimeout',
  'maxAttempts',
  'reason',
  'text',
  'matches',
  'addEventListener',
  'aborted',
]);

const isOptional = (schema: Schema): boolean => schema.wrapped !== undefined;
const inner = (schema: Schema): Schema => (schema.wrapped ? inner(schema.wrapped) : schema);

/** A value that fits, with nothing that may be left out. */
function sampleOf(schema: Schema, name = ''): unknown {
  const { type, entries, item, options } = inner(schema);
  if (entries)
    return Object.fromEntries(
      Object.entries(entries)
        .filter(([, member]) => !isOptional(member))
        .map(([key, member]) => [key, sampleOf(member, key)]),
    );
  if (item) return [sampleOf(item, name)];
  const option = options?.[0];
  if (option !== undefined) return typeof option === 'object' ? sampleOf(option, name) : option;
  if (type === 'boolean') return true;
  return type === 'number' ? 1 : (SAMPLES[name] ?? 'x');
}

/** Paths of all texts in a schema. */
function textsIn(schema: Schema, path: Path = []): readonly Path[] {
  const { type, entries, item } = inner(schema);
  if (entries)
    return Object.entries(entries).flatMap(([key, member]) => textsIn(member, [...path, key]));
  if (item) return textsIn(item, [...path, 0]);
  return type === 'string' ? [path] : [];
}

/** The value with one text put in, and whatever that text needs around it. */
function withText(schema: Schema, value: unknown, path: Path, text: string): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return text;
  const { entries = {}, item } = inner(schema);
  const member = item ?? entries[key]!;
  const known = value as Readonly<Record<string | number, unknown>> | undefined;
  const after = withText(member, known?.[key] ?? sampleOf(member, `${key}`), rest, text);
  return item ? [after] : { ...known, [key]: after };
}

const namesIn = (row: AnyEndpoint): readonly string[] =>
  [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** Returns the members that a verb reads of its filter: it is given an object that remembers. */
function membersReadBy(verb: Verb): readonly string[] {
  const read = new Set<string>();
  const get = (_: object, name: string | symbol): undefined => {
    if (typeof name === 'string') read.add(name);
    return undefined;
  };
  const filter = new Proxy({}, { get, has: () => false });
  try {
    Promise.resolve(verb(filter)).catch(() => {});
  } catch {
    // it still has read
  }
  return [...read].filter((name) => !NO_MEMBERS.has(name));
}

interface Stateful {
  readonly clock: { now(): number };
}
/** The time of the clock that a client keeps behind its one symbol. */
function nowOf(client: Client): number {
  const [symbol] = Object.getOwnPropertySymbols(client);
  return (client as unknown as Readonly<Record<symbol, Stateful>>)[symbol!]!.clock.now();
}

/** Rows of verbs that have none of their own. */
const rowOf = (table: Readonly<Record<string, AnyEndpoint>>, verb: string) =>
  table[verb] ?? { ensure: table['create'], feed: table['list'] }[verb];

/** All places where a text can be put. */
export function placesOf(client: Client): readonly Place[] {
  const places: Place[] = [];
  for (const [resource, verbs] of Object.entries(resourcesOf(client))) {
    const table = endpointTables[resource];
    if (!table) continue;
    for (const verb of Object.keys(verbs)) {
      if (verb === 'watch') continue; // it reads as `get` and `list` do
      const row = rowOf(table, verb);
      if (!row)
        throw new Error(`${resource}.${verb} has no row, and nobody said which one it is like`);
      places.push(...new Operation(client, resource, verb, row).places());
    }
  }
  return places;
}

/**
 * Members of a row's query that a caller gives; what has another name on the wire is a second
 * spelling of one of them.
 */
const queryMembers = ({ query = {} }: AnyEndpoint): readonly string[] =>
  Object.entries(query)
    .filter(([member, name]) => !/^(top|skip)$/.test(member) && name.replace('$', '') === member)
    .map(([member]) => member);

interface Lazy {
  count?(): unknown;
  next?(): unknown;
}

/** One operation of a client, with arguments that it takes. */
class Operation {
  readonly #client: Client;
  readonly #resource: string;
  readonly #verb: string;
  readonly #row: AnyEndpoint;
  readonly #input: Input | undefined;
  readonly #draft: object | undefined;

  constructor(client: Client, resource: string, verb: string, row: AnyEndpoint) {
    this.#client = client;
    this.#resource = resource;
    this.#verb = verb;
    this.#row = row;
    this.#input = row.input as unknown as Input | undefined;
    this.#draft = this.#input && {
      ...(sampleOf(this.#input.schema) as object),
      ...EXTRA[this.#name],
      ...(verb === 'ensure' && { correlationId: 'x' }),
    };
    this.#input?.read(this.#draft); // throws where the samples above do not fit: add one
  }

  get #name(): string {
    return `${this.#resource}.${this.#verb}`;
  }

  get #facts(): Pick<Place, 'name' | 'row'> {
    return { name: this.#name, row: this.#row };
  }

  get #ids(): readonly string[] {
    return namesIn(this.#row);
  }

  /** Arguments that it takes. */
  get #usual(): readonly unknown[] {
    return [...this.#ids.map(() => 'x'), ...(this.#draft ? [this.#draft] : [])];
  }

  readonly #begin: Begin = (client, given) => {
    const begun = resourcesOf(client)[this.#resource]![this.#verb]!(...given) as Lazy | undefined;
    if (begun?.count) return begun.count();
    return begun?.next ? begun.next() : begun;
  };

  places(): readonly Place[] {
    const places = [...this.#segments(), ...this.#texts(), ...this.#keys(), ...this.#filters()];
    if (places.length > 0) return places;
    // Without a place for a text it is called all the same.
    const call = (client: Client): unknown => this.#begin(client, this.#usual);
    return [{ ...this.#facts, slot: 'none', what: '', call }];
  }

  #segments(): readonly Place[] {
    return this.#ids.map((what, at) => ({
      ...this.#facts,
      slot: 'segment',
      what,
      call: (client, text) => this.#begin(client, this.#usual.with(at, text)),
    }));
  }

  #texts(): readonly Place[] {
    const schema = this.#input?.schema;
    if (!schema) return [];
    return textsIn(schema).map((what) => ({
      ...this.#facts,
      slot: 'body',
      what,
      call: (client, text) =>
        this.#begin(client, this.#usual.with(-1, withText(schema, this.#draft, what, text))),
    }));
  }

  #keys(): readonly Place[] {
    if (!this.#row.idempotency.startsWith('key-')) return [];
    const optionsOf = (client: Client, idempotencyKey: string): object =>
      this.#resource === 'deposits'
        ? { idempotencyKey, firstSentAt: nowOf(client) }
        : { idempotencyKey };
    return [
      {
        ...this.#facts,
        slot: 'key',
        what: 'idempotencyKey',
        call: (client, text) => this.#begin(client, [...this.#usual, optionsOf(client, text)]),
      },
    ];
  }

  #filters(): readonly Place[] {
    if (!this.#verb.startsWith('list') || this.#input) return [];
    const isFilter = this.#row.query?.['filter'] === '$filter';
    const verbs = resourcesOf(this.#client)[this.#resource]!;
    const members = isFilter
      ? membersReadBy((filter) => verbs[this.#verb]!(filter))
      : queryMembers(this.#row);
    return members.map((what) => {
      const isOne = isFilter || /Action|^receiveRequestId/.test(what);
      return {
        ...this.#facts,
        slot: isFilter ? 'filter' : 'query',
        what,
        call: (client, text) =>
          this.#begin(client, [
            ...this.#ids.map(() => 'x'),
            { [what]: isOne ? text : [text, 'x'] },
          ]),
      };
    });
  }
}
