// Makes the OpenAPI file from the endpoint table and the client's schemas. The build writes it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { AnyEndpoint } from 'paystate/endpoints';

/** A part of a JSON document. Its form is that of OpenAPI 3.1. */
type Json = Readonly<Record<string, unknown>>;
type Schema = Parameters<typeof toJsonSchema>[0];
type SchemaOf = (holder: { readonly schema: unknown }) => Json;

/**
 * Query parameters by their names on the wire. All others are texts that may come several times.
 */
const QUERY: Readonly<Record<string, Json>> = {
  $top: { type: 'integer', minimum: 1 },
  $skip: { type: 'integer', minimum: 0 },
  $filter: { type: 'string' },
  $orderby: { type: 'string' },
  $supportedAction: { type: 'string' },
  includeTransactions: { type: 'boolean' },
};
const SEVERAL = { type: 'array', items: { type: 'string' } };

const KEYED = /^key-/;
const KEY = {
  name: 'idempotency-key',
  in: 'header',
  description: 'The same key is done once.',
  schema: { type: 'string', format: 'uuid' },
};

const ERROR = {
  type: 'object',
  properties: {
    traceId: { type: 'string' },
    data: {
      type: 'object',
      properties: {
        status: { type: 'integer' },
        code: { type: 'string' },
        message: { type: 'string' },
        values: { type: 'object' },
        validationErrors: { type: 'object' },
      },
      required: ['code'],
    },
  },
  required: ['data'],
};

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ 'application/json': { schema } });
const isRow = (row: unknown): row is AnyEndpoint => {
  const { path, method } = Object(row) as Partial<AnyEndpoint>;
  return typeof path === 'string' && typeof method === 'string';
};
const camelOf = (operation: string): string =>
  operation.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
const kebabOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Returns the first sentence of each operation's doc comment. */
function summaries(root: string, resources: ReadonlySet<string>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const resource of resources) {
    const file = join(root, 'src/resources', `${kebabOf(resource)}.ts`);
    const comment = /\/\*\*\n((?: \*.*\n)+?) \*\/\nexport function (\w+)/g;
    for (const [, text, name] of readFileSync(file, 'utf8').matchAll(comment)) {
      const prose = text!.replace(/^ \* ?/gm, '').replaceAll('\n', ' ');
      found[`${resource}.${name}`] = /^(.*?)[.:](?:\s|$)/.exec(prose)![1]!.trim();
    }
  }
  return found;
}

/** Returns every named schema, with references to the others. */
function namedSchemas(
  schemas: Readonly<Record<string, unknown>>,
): (schema: unknown) => { readonly own: Json; readonly defs: Json } {
  const definitions = Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name.endsWith('Schema'))
      .map(([name, schema]) => [name.replace(/Schema$/, ''), schema as Schema]),
  );
  return (schema) => {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = toJsonSchema(schema as Schema, {
      typeMode: 'input',
      errorMode: 'throw',
      target: 'draft-2020-12',
      definitions,
    });
    return { own: withReferences(own), defs: withReferences($defs) };
  };
}

function withReferences(value: unknown): Json {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}

function parametersOf({ path, query = {}, idempotency }: AnyEndpoint): readonly Json[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.values(query)
      .filter((name) => !path.includes(`{${name}}`))
      .map((name) => ({ name, in: 'query', schema: QUERY[name] ?? SEVERAL })),
    ...(KEYED.test(idempotency) ? [KEY] : []),
  ];
}

function operationOf(row: AnyEndpoint, summary: string | undefined, schemaOf: SchemaOf): Json {
  const { operation, scope, statuses, input, output, bucket, idempotency } = row;
  const parameters = parametersOf(row);
  const success = { description: 'Done.', ...(output && { content: json(schemaOf(output)) }) };
  return {
    operationId: camelOf(operation),
    ...(summary && { summary }),
    tags: [operation.split('.')[0]],
    security: [{ bearer: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(input && { requestBody: { required: true, content: json(schemaOf(input)) } }),
    responses: {
      ...Object.fromEntries(statuses.map((status) => [status, success])),
      default: { description: 'Refused.', content: json(ref('Error')) },
    },
    'x-idempotency': idempotency,
    'x-rate-limit': bucket,
  };
}

function webhookOf(schema: Json): Json {
  const signature = { name: 'X-Webhook-Signature', in: 'header', schema: { type: 'string' } };
  return {
    post: {
      summary: 'Says that something may have changed; values are read from the resource itself',
      parameters: [signature],
      requestBody: { required: true, content: json(schema) },
      responses: { 200: { description: 'Kept.' } },
    },
  };
}

interface Options {
  readonly root: string;
  /** The folder with the built entries. */
  readonly folder: string;
  readonly version: string;
}

/** Returns the OpenAPI document. */
export async function createOpenApi({ root, folder, version }: Options): Promise<Json> {
  const load = (name: string): Promise<Json> => import(pathToFileURL(join(folder, name)).href);
  const [endpoints, schemas] = await Promise.all([load('endpoints.js'), load('schemas.js')]);
  const rows = Object.values(endpoints).flatMap((table) =>
    Object.values(Object(table) as Json).filter(isRow),
  );
  const convert = namedSchemas(schemas);
  const components: Record<string, unknown> = { Error: ERROR };
  const schemaOf: SchemaOf = ({ schema }) => {
    const { own, defs } = convert(schema);
    Object.assign(components, defs);
    return own;
  };
  const resources = rows.map(({ operation }) => operation.split('.')[0]!);
  const texts = summaries(root, new Set(resources));
  const paths: Record<string, Record<string, Json>> = {};
  for (const row of rows)
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(
      row,
      texts[row.operation],
      schemaOf,
    );
  const event = webhookOf(schemaOf({ schema: schemas['EventSchema'] }));
  return {
    openapi: '3.1.0',
    info: { title: 'The service, as paystate speaks to it', version },
    servers: [{ url: 'https://payments.example' }],
    paths,
    webhooks: { event },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}
