import { readFileSync } from 'node:fs';
import type { Client } from '../../client.ts';
import { isPaystateError } from '../../core/errors/index.ts';
import { request } from '../../core/http/index.ts';
import { systemClock, within } from '../../core/time.ts';
import { createGuards, pay, type PayResult } from '../../flows/index.ts';
import { type Money, money, parseMoney } from '../../money/index.ts';
import { fileStore } from '../../stores/file.ts';
import { UsageError } from '../command.ts';

/** The answer of a tool: JSON for a model, and whether it is a failure. */
export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
}

/** A tool of the Model Context Protocol. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  run(given: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

/** A result of a tool. */
function toolResult(value: unknown, isError: boolean = false): ToolResult {
  const text = JSON.stringify(value ?? null);
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** The facts of an error for a model, among them whether something was done. */
export function toolError(thrown: unknown): ToolResult {
  if (isPaystateError(thrown)) return toolResult({ error: thrown.toJSON() }, true);
  return toolResult(
    { error: { message: thrown instanceof Error ? thrown.message : 'unknown' } },
    true,
  );
}

/**
 * Operations that may be allowed one by one: no money leaves by them, and no secret is sent. `pay`
 * alone spends.
 */
const ALLOWABLE = [
  'invoices.create',
  'invoices.createFor',
  'invoices.quote',
  'invoices.cancel',
  'receiveRequests.create',
];

/** Rows of a page where nothing else is asked for: a model reads every one of them. */
const FEW = 20;

/** Tools of all reads, and of those operations that are allowed. */
export function apiTools(client: Client, allowed: readonly string[]): readonly Tool[] {
  const stranger = allowed.find((name) => !ALLOWABLE.includes(name));
  if (stranger !== undefined)
    throw new UsageError(
      `--allow: "${stranger}" cannot be allowed; there are ${ALLOWABLE.join(', ')}; money ` +
        'leaves by --spend alone',
    );
  return readOperations().flatMap((operation) => {
    if (operation.method === 'GET') return [readTool(client, operation)];
    return allowed.includes(operation.name) ? [writeTool(client, operation)] : [];
  });
}

const nameOf = ({ name }: ApiOperation): string => name.replace('.', '_');

/** The name of a parameter for a model: without the sign that OData has before it. */
const plainName = (name: string): string => name.replace(/^\$/, '');

function inputOf(
  { parameters }: ApiOperation,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const shown = parameters.filter((one) => one.in !== 'header');
  const required = shown.filter((one) => one.required).map((one) => plainName(one.name));
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(shown.map(({ name, schema }) => [plainName(name), schema])),
      ...more,
    },
    required: [...required, ...Object.keys(more)],
    additionalProperties: false,
  };
}

function readTool(client: Client, operation: ApiOperation): Tool {
  const { path, parameters, summary } = operation;
  return {
    name: nameOf(operation),
    description: `${summary}. ${operation.method} ${path}. Reads only.`,
    inputSchema: inputOf(operation),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    async run(given) {
      const params = Object.fromEntries(
        parameters
          .map(({ name }) => [name, given[plainName(name)] ?? (name === '$top' ? FEW : undefined)])
          .filter(([, value]) => value !== undefined),
      );
      return toolResult(await request(client, 'GET', path, { params }));
    },
  };
}

/** Goes through the client's own operation, which knows how to repeat it. */
function writeTool(client: Client, operation: ApiOperation): Tool {
  const { path, parameters, summary, body, name } = operation;
  const [member = '', verb = ''] = name.split('.');
  const ids = parameters.filter((one) => one.in === 'path').map((one) => one.name);
  return {
    name: nameOf(operation),
    description:
      `${summary}. ${operation.method} ${path}. ` + 'Changes the account; no money leaves it.',
    inputSchema: inputOf(operation, body && { body }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    async run(given) {
      const resource = client[member as 'invoices'] as unknown as Readonly<
        Record<string, (...args: readonly unknown[]) => Promise<unknown>>
      >;
      const args = [...ids.map((id) => given[id]), ...(body ? [given['body']] : [])];
      return toolResult(await resource[verb]!(...args));
    },
  };
}

/** The members of a JSON Schema that are read. */
type JsonSchema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

/** An operation of the OpenAPI file. */
interface ApiOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The member of the client, such as `invoices.create`. */
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** The body; absent where none is sent. */
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
function readOperations(): readonly ApiOperation[] {
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

/** The most to spend a day, by currency. */
type Budget = ReadonlyMap<string, Money>;

/** Reads what was given as `EUR=20.00`. */
export function budgetOf(given: readonly string[]): Budget {
  return new Map(
    given.map((text) => {
      const [currency = '', amount = '', more] = text.split('=');
      try {
        if (more !== undefined) throw new Error('one sign too many');
        return [currency, money(amount, currency)];
      } catch {
        throw new UsageError(`--spend must be like EUR=20.00, not "${text.slice(0, 40)}"`);
      }
    }),
  );
}

/** A call of a model should not last longer; the payment goes on by itself. */
const PATIENCE = 20_000;

const INPUT = {
  type: 'object',
  properties: {
    to: {
      type: 'string',
      description:
        'BOLT11 text, Lightning address, LNURL, or bitcoin: URI with a Lightning invoice',
    },
    currency: { type: 'string', description: 'currency to spend' },
    amount: {
      type: 'object',
      description:
        'how much; needed where "to" does not say it. A BOLT11 text that names an amount is ' +
        'paid only if it is this one, in BTC',
      properties: { amount: { type: 'string' }, currency: { type: 'string' } },
      required: ['amount', 'currency'],
    },
    intent: {
      type: 'string',
      description:
        'your own name for this one payment: it is paid at most once. Needed for all but a ' +
        'BOLT11 text; give the same again to see how it ended',
    },
  },
  required: ['to', 'currency'],
  additionalProperties: false,
} as const;

/** The tool that spends; none without a budget. */
export function spendTools(
  client: Client,
  budget: Budget,
  folder: string | undefined,
): readonly Tool[] {
  if (budget.size === 0) return [];
  if (folder === undefined)
    throw new UsageError('--spend needs --journal: what was paid has to be known after a restart');
  const journal = fileStore(folder);
  const limits = [...budget.values()].map(({ amount, currency }) => `${amount} ${currency}`);
  return [
    {
      name: 'pay',
      description:
        `Pays once. At most ${limits.join(', ')} a day (UTC), fees included; a fee above 1 % ` +
        'is not paid. Money leaves the account and does not come back.',
      inputSchema: INPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      async run({ to, currency, amount, intent }) {
        const maxTotal = budget.get(`${currency}`);
        if (!maxTotal)
          return toolResult(
            {
              error: {
                message: `no budget in this currency; there is one for ${limits.join(', ')}`,
              },
            },
            true,
          );
        await createGuards({ journal, maxPerDay: [...budget.values()] });
        const run = pay(client, {
          to: `${to}`,
          sourceCurrency: `${currency}`,
          maxFee: { percent: '1' },
          maxTotal,
          journal,
          ...(amount !== undefined && { amount: parseMoney(amount) }),
          ...(intent !== undefined && { intent: `${intent}` }),
        });
        return soonResult(run.result, run.intent);
      },
    },
  ];
}

/** The end of a payment, or that it goes on. */
async function soonResult(ending: Promise<PayResult>, intent: string): Promise<ToolResult> {
  const result = await within(systemClock, PATIENCE, ending);
  if (!result)
    return toolResult({
      phase: 'pending',
      intent,
      advice: 'it continues; call pay again with the same arguments to see how it ended',
    });
  const isPaid = result.phase === 'paid';
  return toolResult({ ...result, intent }, !isPaid);
}
