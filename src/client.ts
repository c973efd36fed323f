import { checkOptions } from './core/errors/index.ts';
import {
  bindTo,
  type ClientOptions,
  createConnection,
  type Connection,
  forget,
  internals,
  numbersOf,
  OVERRIDES,
  type Settings,
} from './core/http/index.ts';
import { operations, type Resources } from './generated/resources.ts';

/** Options that a derived client may change. */
export type ClientOverrides = Partial<
  Pick<
    Settings,
    | 'attemptTimeout'
    | 'callTimeout'
    | 'queueTimeout'
    | 'maxAttempts'
    | 'drift'
    | 'onRequest'
    | 'onResponse'
    | 'onRetry'
    | 'onWait'
  >
>;

/**
 * All operations, by resource. It is also a `Connection`, for the functions of other entries. A
 * test can replace its operations, but functions that take the client, such as `watchInvoice`, do
 * not call them.
 */
export interface Client extends Connection, Resources {
  /** The same client with other options; both share rate limits and watches. */
  withOptions(options: ClientOverrides): Client;
  /**
   * Drops what the client keeps of its account: values of resources that are no longer watched,
   * those of `provide`, and answers to recent calls. Watches that are open go on and read again.
   * Call it when the user logs out. It happens by itself when the login server says that the login
   * has ended, and when refusals of the credential have ended a watch.
   *
   * @example
   * await login.logout();
   * client.forget();
   */
  forget(): void;
}

/**
 * Makes a client. Nothing is sent. In a Worker make one for each request; that costs almost
 * nothing.
 *
 * @param options `baseUrl` and an `apiKey` (servers) or a `token` (pages); everything else has a
 * default
 * @throws InputError for a bad address, a bad key, or a key in a page
 * @example
 * const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
 */
export function createClient(options: ClientOptions): Client {
  return makeClient(createConnection(options));
}

function makeClient(connection: Connection): Client {
  const inner = connection[internals];
  const own = {
    ...connection,
    forget: () => forget(connection),
    withOptions: (options: ClientOverrides) => {
      checkOptions(options, OVERRIDES);
      return makeClient({
        [internals]: {
          ...inner,
          settings: Object.freeze({
            ...inner.settings,
            ...options,
            ...numbersOf(options, inner.settings),
          }),
        },
      });
    },
  };
  return bindTo<typeof own, Resources>(own, connection, operations);
}
