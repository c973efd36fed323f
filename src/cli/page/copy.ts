import { parseJson } from '../../core/platform.ts';
import { decodeText } from '../../devtools/rows.ts';
import type { ApiRoute } from './server.ts';

export interface Repeatable {
  readonly method: string;
  /** Path including the query string. */
  readonly path: string;
  /** Request body. Absent if there was none. */
  readonly body?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

interface Place {
  readonly origin: string;
  readonly apiKey: string;
}

/** Quotes a string for a POSIX shell. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export function toCurl(
  { method, path, body, idempotencyKey }: Repeatable,
  { origin, apiKey }: Place,
): string {
  const parts = [
    method === 'GET' ? 'curl' : `curl -X ${method.replace(/[^A-Z]/g, '')}`,
    shellQuote(origin + path),
    `-H ${shellQuote(`Authorization: Bearer ${apiKey}`)}`,
    ...(idempotencyKey ? [`-H ${shellQuote(`Idempotency-Key: ${idempotencyKey}`)}`] : []),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${shellQuote(body)}`] : []),
  ];
  return parts.join(' \\\n  ');
}

/**
 * Returns a program that repeats a request with the SDK, or with `fetch` if the SDK has no method
 * for it. Values are inserted as JSON, so they can't inject code.
 */
export function toSdk(asked: Repeatable, place: Place, routes: readonly ApiRoute[]): string {
  const { method, path, body } = asked;
  const [bare = '', query] = path.split('?');
  for (const route of routes) {
    const values = route.method === method && !query ? valuesIn(route.path, bare) : undefined;
    if (!values || (body && !parseJson(body))) continue;
    const draft = route.hasDraft && body ? [literal(parseJson(body))] : [];
    const given = [...values.map((value) => literal(value)), ...draft].join(', ');
    const options = literal({ baseUrl: place.origin, apiKey: place.apiKey });
    return [
      "import { createClient } from 'paystate';",
      '',
      `const client = createClient(${options});`,
      '',
      `const result = await client.${route.operation}(${given});`,
    ].join('\n');
  }
  const init = { method, headers: { authorization: `Bearer ${place.apiKey}` } };
  const sent = body ? { ...init, body } : init;
  return `const response = await fetch(${literal(place.origin + path)}, ${literal(sent)});`;
}

/** Returns a path's parameter values, or `undefined` if the path doesn't match. */
function valuesIn(pattern: string, path: string): readonly string[] | undefined {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const isSame =
    wanted.length === given.length &&
    wanted.every((part, at) => part.startsWith('{') || part === given[at]);
  if (!isSame) return undefined;
  return given.filter((_, at) => wanted[at]!.startsWith('{')).map(decodeText);
}

/**
 * Formats a value as JSON for source code. Escapes the two Unicode separators that older engines
 * treat as line breaks.
 */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
