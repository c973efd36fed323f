import { checkOptions } from './core/errors/index.ts';
import {
  bindTo,
  type ClientOptions,
  createConnection,
  type Connection,
  forget,
  internals,
  checkNumbers,
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
 * All operations, by resource. It's also a `Connection`, for the functions in other entry points. A
 * test can replace its operations, but functions that take the client, such as `watchInvoice`,
 * don't call them.
 */
export interface Client extends Connection, Resources {
  /** Returns the same client with other options. Both share rate limits and watches. */
  withOptions(options: ClientOverrides): Client;
  /**
   * Drops what the client has cached for its account: values of unwatched resources, values from
   * `provide`, and recent responses. Open watches continue and read again. Call it when the user
   * logs out. The client calls it on its own when the login server ends the login, or when refused
   * credentials have ended a watch.
   *
   * @example
   * await login.logout();
   * client.forget();
   */
  forget(): void;
}

/**
 * Creates a client. Nothing is sent. In a Worker, create one for each request, which costs almost
 * nothing.
 *
 * @param options `baseUrl` and an `apiKey` (servers) or a `token` (pages). Everything else has a
 * default
 * @throws InputError if the URL or the key is invalid, or for a key in a page
 *
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
            ...checkNumbers(options, inner.settings),
          }),
        },
      });
    },
  };
  return bindTo<typeof own, Resources>(own, connection, operations);
}
