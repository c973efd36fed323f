import { readFileSync } from 'node:fs';

/** A JSON Schema, as far as it is looked at. */
export type JsonSchema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** An operation of the OpenAPI file. */
export interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The member of the client, such as `invoices.create`. */
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** What is sent; absent where nothing is. */
  readonly body: JsonSchema | undefined;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/** All operations of the package's OpenAPI file, their schemas without references. */
export function readOperations(): readonly ApiOperation[] {
  const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
  const { paths, components } = JSON.parse(text) as Document;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, tags, ...operation }]) => {
      const body = operation.requestBody?.content['application/json'].schema;
      const [tag = ''] = tags;
      const verb = operationId.slice(tag.length);
      return {
        method: method.toUpperCase() as ApiOperation['method'],
        path,
        name: `${tag}.${verb[0]?.toLowerCase()}${verb.slice(1)}`,
        summary: operation.summary ?? operationId,
        parameters: operation.parameters ?? [],
        body: body && (withoutReferences(body, components.schemas) as JsonSchema),
      };
    }),
  );
}

const REFERENCE = '#/components/schemas/';

function withoutReferences(value: unknown, schemas: Document['components']['schemas']): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutReferences(one, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { readonly $ref?: string };
  if ($ref?.startsWith(REFERENCE))
    return withoutReferences(schemas[$ref.slice(REFERENCE.length)], schemas);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutReferences(member, schemas)]),
  );
}
