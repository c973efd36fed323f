import { badInput } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import type { ResourceName, ResourceValues } from '../resources/resource-name.ts';
import { checkName } from './invalidate.ts';
import { hubOf } from './watch-one.ts';

/**
 * Hands a value that was read elsewhere, such as by your own relay, to the watches of its resource.
 * They treat it as a read of that time: an older state may be dropped.
 *
 * @param options `asOf`: when it was read, milliseconds since 1970
 * @throws InputError for a name that is none, or a time that is none
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
  hubOf(client).hub?.provide(resource, value, options.asOf);
}
