import * as endpoints from '../endpoints.ts';
import * as registry from '../resources/registry.ts';
import type { Form, FormField, ApiRoute } from './page/resources.ts';

/** As much of a schema as a form reads. */
interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly string[];
  readonly pipe?: readonly (Schema & { readonly requirement?: unknown })[];
}

interface EndpointRow {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly input?: { readonly schema: unknown };
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

/** What is filled in, by operation: valid, so that a press sends it. `$` is found out by the page. */
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

/** A form for each request that makes something and for which the page has valid values. */
export const pageForms: readonly Form[] = Object.entries(SAMPLES).map(([operation, sample]) => {
  const { method, path, input } = rows.find((row) => row.operation === operation)!;
  const fields = fieldsOf(input!.schema as Schema, sample, '', true);
  return { operation, title: titleOf(operation), method, path, fields };
});

/** `paymentQuotes.createLightning` is "Payment quote, Lightning". */
function titleOf(operation: string): string {
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
