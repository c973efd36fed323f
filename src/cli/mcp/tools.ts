import type { Client } from '../../client.ts';
import { isPaystateError } from '../../core/errors/index.ts';
import { request } from '../../core/http/index.ts';
import { UsageError } from '../command.ts';
import { type ApiOperation, type JsonSchema, readOperations } from './open-api.ts';

/** What a tool says: JSON for a model, and whether it is a failure. */
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
export function toolResult(value: unknown, isError: boolean = false): ToolResult {
  const text = JSON.stringify(value ?? null);
  return { content: [{ type: 'text', text }], ...(isError && { isError }) };
}

/** What an error says to a model: its facts, among them whether something was done. */
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
      `--allow: "${stranger}" cannot be allowed; there are ${ALLOWABLE.join(', ')}; money leaves by --spend alone`,
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
    description: `${summary}. ${operation.method} ${path}. Changes the account; no money leaves it.`,
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
