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
 * All operations, by resource. It's also a `Connection`, for the functions of other entries. A test
 * can replace its operations, but functions that take the client, such as `watchInvoice`, don't
 * call them.
 */
export interface Client extends Connection, Resources {
  /** Returns the same client with other options. Both share rate limits and watches. */
  withOptions(options: ClientOverrides): Client;
  /**
   * Drops data of the account that the client has cached: values of unwatched resources, values
   * from `provide`, and recent responses. Open watches continue and read again. Call it when the
   * user logs out. The client calls it by itself when the login server ends the login, or when
   * refused credentials have ended a watch.
   *
   * @example
   * await login.logout();
   * client.forget();
   */
  forget(): void;
}

/**
 * Makes a client. Nothing is sent. In a Worker make one for each request, which costs almost
 * nothing.
 *
 * @param options `baseUrl` and an `apiKey` (servers) or a `token` (pages). Everything else has a
 * default
 * @throws InputError for a bad address, a bad key, or a key in a page
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
