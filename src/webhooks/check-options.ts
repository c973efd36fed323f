import { badInput } from '../core/errors/index.ts';
import { refuseClient, internals } from '../core/http/index.ts';
import { checkLasting } from '../stores/store.ts';
import type { InboxOptions } from './inbox-interface.ts';
import { allHandlerNames } from './resources.ts';
import { checkVerifyOptions } from './verify.ts';

/** Refuses options that cannot be right when an inbox is made: later, each delivery would fail. */
export function checkInboxOptions<Tx>(options: InboxOptions<Tx>): void {
  const {
    client,
    store,
    on,
    otherwise,
    onProblem,
    read = {},
  } = Object(options) as InboxOptions<Tx>;
  const refused = refuseClient(client);
  if (refused) throw refused;
  if (typeof store?.lease !== 'function')
    throw badInput('store', 'must be an inbox store, such as sqlInboxStore(driver)');
  const url = client[internals].baseUrl();
  checkLasting(store, url, 'store', 'a crash loses events that the service counts as delivered');
  checkHandlers(on);
  checkFunctions('', { otherwise, onProblem });
  checkFunctions('read.', read);
  checkVerifyOptions(options);
  const { drainTimeout = 0, leaseDuration = 1 } = options;
  if (!(isNumber(drainTimeout) && drainTimeout >= 0))
    throw badInput('drainTimeout', 'must be milliseconds, 0 or more');
  if (!(isNumber(leaseDuration) && leaseDuration > 0))
    throw badInput('leaseDuration', 'must be milliseconds, above 0');
}

/** A name that is misspelled would never be called, whatever is paid. */
function checkHandlers(on: object): void {
  if (typeof on !== 'object' || on === null)
    throw badInput('on', 'must be an object with handlers; {} where there are none');
  const { event = {}, ...states } = on as { readonly event?: object };
  const names = allHandlerNames();
  for (const name of Object.keys(states))
    if (!names.includes(name))
      throw badInput(
        `on.${name}`,
        'is no handler: one is named by resource and state, as invoicePaid',
      );
  checkFunctions('on.', states);
  checkFunctions('on.event.', event);
}

function checkFunctions(path: string, given: object): void {
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && typeof value !== 'function')
      throw badInput(`${path}${name}`, 'must be a function');
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}
