import { LIST_QUERY } from '../../core/list.ts';
import { type AnyRow, Misfit } from '../../core/row.ts';
import { readListQuery } from './lists.ts';
import { BareStatus, invalidData, Refusal } from './refusals.ts';
import type { Key, World } from '../world.ts';

/** A request as it reaches the service. */
export interface Incoming {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Where it comes from; limits are counted by it. */
  readonly address: string;
}

/** Whose request it is. */
export function keyOf(world: World, headers: Headers): Key {
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const key = world.keys.get(text);
  if (!key) throw new Refusal('UNAUTHORIZED');
  return key;
}

/** The query's members by the row's names for them. */
export function queryOf(row: AnyRow, url: URL, comparisons: number): Readonly<Record<string, unknown>> {
  if (row.query === LIST_QUERY) return { ...readListQuery(url.searchParams, comparisons) };
  const where: Record<string, unknown> = {};
  for (const [member, name] of Object.entries(row.query ?? {})) {
    const text = url.searchParams.get(name);
    if (text !== null && text !== 'false') where[member] = text === 'true' ? true : text;
  }
  return where;
}

/** The body, held to the row's own shape. */
export function draftOf(row: AnyRow, { headers, body }: Incoming): unknown {
  if (!row.input) return undefined;
  if (body && !/^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')) throw new BareStatus(415);
  try {
    return row.input.read(body ? parse(body) : {});
  } catch (thrown) {
    throw thrown instanceof Misfit ? invalidData(thrown.breaches) : thrown;
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalidData([{ field: 'body', code: 'INVALID_DATA', advice: 'is not JSON' }]);
  }
}
