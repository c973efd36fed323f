// Makes the OpenAPI file of the endpoint table and the schemas that the client reads with. Part of the build.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toJsonSchema } from '@valibot/to-json-schema';

/** Query parameters by their names on the wire; all others are texts that may come several times. */
const QUERY = {
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

const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema) => ({ 'application/json': { schema } });
const isRow = (row) => typeof row?.path === 'string' && typeof row.method === 'string';
const camelOf = (operation) => operation.replace(/\.(\w)/g, (_, letter) => letter.toUpperCase());
const kebabOf = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The first sentence of each operation's doc comment, by operation. */
function summaries(root, resources) {
  const found = {};
  for (const resource of resources) {
    const file = join(root, 'src/resources', `${kebabOf(resource)}.ts`);
    const comment = /\/\*\*\n((?: \*.*\n)+?) \*\/\nexport function (\w+)/g;
    for (const [, text, name] of readFileSync(file, 'utf8').matchAll(comment))
      found[`${resource}.${name}`] = /^(.*?)[.:](?:\s|$)/
        .exec(text.replace(/^ \* ?/gm, '').replaceAll('\n', ' '))[1]
        .trim();
  }
  return found;
}

/** Every schema that has a name, with references to the others. */
function namedSchemas(schemas) {
  const definitions = Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => name.endsWith('Schema'))
      .map(([name, schema]) => [name.replace(/Schema$/, ''), schema]),
  );
  return (schema) => {
    const {
      $schema: _,
      $defs = {},
      ...own
    } = toJsonSchema(schema, {
      typeMode: 'input',
      errorMode: 'throw',
      target: 'draft-2020-12',
      definitions,
    });
    return { own: withReferences(own), defs: withReferences($defs) };
  };
}

function withReferences(value) {
  return JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function parametersOf({ path, query = {}, idempotency }) {
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

function operationOf(row, summary, schemaOf) {
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

function webhookOf(schema) {
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

/** The file as a value; `folder` is where the built entries are. */
export async function createOpenApi({ root, folder, version }) {
  const load = (name) => import(pathToFileURL(join(folder, name)).href);
  const [endpoints, schemas] = await Promise.all([load('endpoints.js'), load('schemas.js')]);
  const rows = Object.values(endpoints).flatMap((table) =>
    Object.values(table ?? {}).filter(isRow),
  );
  const convert = namedSchemas(schemas);
  const components = { Error: ERROR };
  const schemaOf = ({ schema }) => {
    const { own, defs } = convert(schema);
    Object.assign(components, defs);
    return own;
  };
  const texts = summaries(root, new Set(rows.map(({ operation }) => operation.split('.')[0])));
  const paths = {};
  for (const row of rows)
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operationOf(
      row,
      texts[row.operation],
      schemaOf,
    );
  const event = webhookOf(schemaOf({ schema: schemas.EventSchema }));
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
