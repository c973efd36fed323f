import { badInput } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import type { ResourceName, ResourceValues } from '../resources/resource-name.ts';
import { checkName } from './invalidate.ts';
import { tellValue } from './told.ts';

/** Receives, balances and rates have none. */
const STATELESS = /^(rec|bal|rat)/;

/**
 * Hands a value that was read elsewhere, such as by your own relay, to the watches of its resource.
 * They treat it as a read of that time: an older state may be dropped. Without a listener they
 * give it as `stale`, so that a page begins as its server has rendered it; of such values the last
 * hundred are kept.
 *
 * @param options `asOf`: when it was read, milliseconds since 1970
 * @throws InputError for a name that is none, a time that is none, or a value whose state is no text
 * @example
 * provide(client, 'invoice', invoice, { asOf: Date.now() - 500 });
 */
export function provide<Name extends ResourceName>(
  client: Connection,
  resource: Name,
  value: ResourceValues[Name],
  options: { readonly asOf: number },
): void {
  checkName(resource);
  if (!Number.isFinite(options?.asOf)) throw badInput('asOf', 'must be milliseconds since 1970');
  // resources are named by their own member or by `id`; lists of an account are one
  const {
    [`${resource}Id`]: ownId,
    id = 'all',
    state,
  } = Object(value) as Readonly<Record<string, string>>;
  // a state that is no text could be compared with none: it would stay as it is for ever
  if (typeof state !== 'string' && !STATELESS.test(resource))
    throw badInput('value.state', 'must be a text');
  tellValue(client, resource, ownId ?? id, value, options.asOf);
}
