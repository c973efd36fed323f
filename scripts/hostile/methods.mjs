// Every operation of a client with arguments for it, found from the client and the rows: a new resource is in by itself.
import { endpointTables } from '../../test/unit/contract/endpoint-tables.ts';

const rows = new Map(Object.entries(endpointTables));

/** Texts that a field of this name takes. */
const SAMPLES = {
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

const isOptional = (schema) => schema.wrapped !== undefined;
const inner = (schema) => (schema.wrapped ? inner(schema.wrapped) : schema);

/** A value that fits, with nothing that may be left out. */
const sampleOf = (schema, name) => {
  const { type, entries, item, options } = inner(schema);
  if (entries)
    return Object.fromEntries(
      Object.entries(entries)
        .filter(([, member]) => !isOptional(member))
        .map(([key, member]) => [key, sampleOf(member, key)]),
    );
  if (item) return [sampleOf(item, name)];
  if (options) return typeof options[0] === 'object' ? sampleOf(options[0], name) : options[0];
  return type === 'boolean' ? true : type === 'number' ? 1 : (SAMPLES[name] ?? 'x');
};

/** Paths of all texts in a schema. */
const textsIn = (schema, path = []) => {
  const { type, entries, item } = inner(schema);
  if (entries)
    return Object.entries(entries).flatMap(([key, member]) => textsIn(member, [...path, key]));
  if (item) return textsIn(item, [...path, 0]);
  return type === 'string' ? [path] : [];
};

/** The value with one text put in, and whatever that text needs around it. */
const withText = (schema, value, path, text) => {
  if (path.length === 0) return text;
  const [key, ...rest] = path;
  const { entries, item } = inner(schema);
  const member = item ?? entries[key];
  const before = value?.[key] ?? sampleOf(member, key);
  const after = withText(member, before, rest, text);
  return item ? [after] : { ...value, [key]: after };
};

/** What some drafts need beside what their schemas say alone. */
const EXTRA = {
  'bankPaymentMethods.create': { routingNumber: '021000021', accountType: 'CHECKING' },
  'payoutOriginators.create': {
    address: { line1: 'Street 1', city: 'Town', country: 'US', postCode: '10000' },
  },
  'receiveRequests.create': { bolt11: {} },
  'subscriptions.update': { enabled: true },
};

const namesIn = (row) => [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** Which members a verb reads of its filter: it is given an object that remembers. */
const membersReadBy = (client, resource, verb) => {
  const read = new Set();
  const filter = new Proxy(
    {},
    { get: (_, name) => void (typeof name === 'string' && read.add(name)), has: () => false },
  );
  try {
    Promise.resolve(client[resource][verb](filter)).catch(() => {});
  } catch {
    // it still has read
  }
  return [...read].filter(
    (name) =>
      !/^(then|pageSize|cursor|signal|attemptTimeout|callTimeout|maxAttempts|reason|text)$/.test(
        name,
      ),
  );
};

/** The clock that a client keeps behind its one symbol. */
const clockOf = (client) => client[Object.getOwnPropertySymbols(client)[0]].clock;

/**
 * Where a text can be put: `call(client, text)` puts it there. `slot` is `segment`, `body`, `filter`, `query` or `key`.
 */
export const placesOf = (client) => {
  const places = [];
  for (const [resource, verbs] of Object.entries(client)) {
    const ownRows = rows.get(resource);
    if (!ownRows) continue;
    for (const verb of Object.keys(verbs)) {
      if (verb === 'watch') continue; // it reads as `get` and `list` do
      const row = ownRows[verb] ?? { ensure: ownRows.create, feed: ownRows.list }[verb];
      if (!row)
        throw new Error(`${resource}.${verb} has no row, and nobody said which one it is like`);
      places.push(...placesOfVerb(client, resource, verb, row));
    }
  }
  return places;
};

/** Members of a row's query that a caller gives; what has another name on the wire is a second spelling of one of them. */
const queryMembers = ({ query = {} }) =>
  Object.keys(query).filter(
    (member) => !/^(top|skip)$/.test(member) && query[member].replace('$', '') === member,
  );

const placesOfVerb = (client, resource, verb, row) => {
  const name = `${resource}.${verb}`;
  const ids = namesIn(row);
  const schema = row.input?.schema;
  const base = schema && {
    ...sampleOf(schema),
    ...EXTRA[name],
    ...(verb === 'ensure' && { correlationId: 'x' }),
  };
  const usual = [...ids.map(() => 'x'), ...(schema ? [base] : [])];
  const begin = (who, given) => {
    const begun = who[resource][verb](...given);
    return begun?.count ? begun.count() : begun?.next ? begun.next() : begun;
  };
  const places = ids.map((id, at) => ({
    name,
    row,
    slot: 'segment',
    what: id,
    call: (who, text) => begin(who, usual.with(at, text)),
  }));
  if (schema) {
    row.input.read(base); // throws where the samples above do not fit: add one
    for (const path of textsIn(schema))
      places.push({
        name,
        row,
        slot: 'body',
        what: path,
        call: (who, text) => begin(who, usual.with(-1, withText(schema, base, path, text))),
      });
  }
  if (/^key-/.test(row.idempotency))
    places.push({
      name,
      row,
      slot: 'key',
      what: 'idempotencyKey',
      call: (who, text) =>
        begin(who, [
          ...usual,
          {
            idempotencyKey: text,
            ...(resource === 'deposits' && { firstSentAt: clockOf(who).now() }),
          },
        ]),
    });
  if (verb.startsWith('list') && !schema) {
    const isFilter = row.query?.filter === '$filter';
    const members = isFilter ? membersReadBy(client, resource, verb) : queryMembers(row);
    for (const member of members) {
      const given = (text) => ({
        [member]: isFilter || /Action|^receiveRequestId/.test(member) ? text : [text, 'x'],
      });
      places.push({
        name,
        row,
        slot: isFilter ? 'filter' : 'query',
        what: member,
        call: (who, text) => begin(who, [...ids.map(() => 'x'), given(text)]),
      });
    }
  }
  // Without a place for a text it is called all the same.
  if (places.length === 0)
    places.push({ name, row, slot: 'none', what: '', call: (who) => begin(who, usual) });
  return places;
};
