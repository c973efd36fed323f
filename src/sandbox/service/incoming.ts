import { LIST_QUERY } from '../../core/lists/index.ts';
import type { AnyEndpoint } from '../../core/http/index.ts';
import { readListQuery, readPaging, type ReadOptions } from '../query/lists.ts';
import { BareStatus, invalidData, ServiceRefusal } from '../world/refusals.ts';
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

/** The query's members by the row's names for them. */
export function queryOf(
  row: AnyEndpoint,
  url: URL,
  comparisons: number,
): Readonly<Record<string, unknown>> {
  if (row.query === LIST_QUERY) return { ...readListQuery(url.searchParams, comparisons) };
  const where: Record<string, unknown> = {};
  for (const [member, name] of Object.entries(row.query ?? {})) {
    const texts = url.searchParams.getAll(name);
    const [text] = texts;
    if (text !== undefined && text !== 'false')
      where[member] = text === 'true' ? true : texts.length > 1 ? texts : text;
  }
  return row.query?.['top'] === undefined ? where : { ...where, ...readPaging(url.searchParams) };
}

/** The key under which a command is done once: a UUID. */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(key)) return key.toLowerCase();
  throw invalidData([
    { field: 'idempotency-key', code: 'INVALID_DATA_VALUE', advice: 'must be a UUID' },
  ]);
}

/** The body, held to the row's own shape. */
export function draftOf(row: AnyEndpoint, { headers, body }: IncomingRequest): unknown {
  if (!row.input) return undefined;
  if (body && !/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new BareStatus(415, 'bodies.bad');
  try {
    return row.input.read(body ? parse(body) : {});
  } catch (thrown) {
    throw thrown instanceof ValidationError ? invalidData(thrown.violations) : thrown;
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalidData(
      [{ field: 'body', code: 'INVALID_DATA', advice: 'is not JSON' }],
      'bodies.bad',
    );
  }
}
