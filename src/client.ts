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

/** Options that a derived client can change. */
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
 * A client with all operations, grouped by resource. It's also a `Connection`, so you can pass it
 * to functions from other entry points. Tests can replace its operations, but functions such as
 * `watchInvoice` don't call the replacements.
 */
export interface Client extends Connection, Resources {
  /** Creates a client with different options that shares this client's rate limits and watches. */
  withOptions(options: ClientOverrides): Client;
  /**
   * Clears the client's cached data for its account. This includes recent responses, values from
   * `provide` and values of resources that are no longer watched. Open watches continue and read
   * again. Call it when the user logs out. The client calls it automatically when the login server
   * ends the login, or when a watch ends because the credentials were refused.
   *
   * @example
   * await login.logout();
   * client.forget();
   */
  forget(): void;
}

/**
 * Creates a client without sending a request. In a Worker, create a new client for each request,
 * which takes almost no time.
 *
 * @param options `baseUrl`, and an `apiKey` on servers or a `token` in pages. All other options
 * have defaults
 * @throws InputError if the URL or the key is invalid, or if a page passes an `apiKey`
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
