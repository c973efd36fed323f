// The checks of stores in a Durable Object.
import {
  durableObjectDriver,
  type DurableObjectStorage,
  sqlInboxStore,
  sqlRateLimitStore,
  sqlStore,
  type SqlTransaction,
} from 'paystate/stores';
import { type BesideInbox, checkInboxStore, checkStore } from 'paystate/testing';
import { checkRateLimitStore } from '../stores/rates.ts';

type State = { readonly storage: DurableObjectStorage };

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(url: string): Promise<Response> };
}

const besideIn = ({ sql }: DurableObjectStorage): BesideInbox<SqlTransaction> => {
  sql.exec('CREATE TABLE IF NOT EXISTS beside (key TEXT PRIMARY KEY, value TEXT)');
  return {
    write: (tx, key, value) => tx.run('INSERT INTO beside (key, value) VALUES (?, ?)', key, value),
    read: (key) =>
      sql.exec<{ value: string }>('SELECT value FROM beside WHERE key = ?', key).toArray()[0]
        ?.value,
  };
};

const troubleOf = (check: Promise<void>): Promise<string | undefined> =>
  check.then(
    () => undefined,
    (error: Error) => error.message,
  );

export class Keeper {
  readonly #storage: State['storage'];

  constructor({ storage }: State) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const storage = this.#storage;
    const answers: Readonly<Record<string, () => Promise<unknown>>> = {
      '/store': () => troubleOf(checkStore(() => sqlStore(durableObjectDriver(storage)))),
      '/inbox': () =>
        troubleOf(
          checkInboxStore(() => sqlInboxStore(durableObjectDriver(storage)), besideIn(storage)),
        ),
      '/rates': () =>
        troubleOf(checkRateLimitStore(() => sqlRateLimitStore(durableObjectDriver(storage)))),
      // A process leaves this, and the next one finds it.
      '/leave': () =>
        sqlInboxStore(durableObjectDriver(storage)).add(
          [{ kind: 'event', id: 'kept', subject: 's', body: 'b', createdAt: 1, receivedAt: 2 }],
          { floor: 3 },
        ),
      '/find': async () => {
        const store = sqlInboxStore(durableObjectDriver(storage));
        return [
          await store.cursor(),
          await store.lease(9, 1, 1),
          sqlStore(durableObjectDriver(storage)).durable && store.durable,
        ];
      },
    };
    return Response.json({ result: (await answers[url.pathname]!()) ?? null });
  }
}

export default {
  fetch(
    request: Request,
    { KEEPER }: { readonly KEEPER: Namespace },
  ): Promise<Response> | Response {
    const { pathname } = new URL(request.url);
    const name = /^\/(leave|find)$/.test(pathname) ? 'lasting' : pathname;
    return KEEPER.get(KEEPER.idFromName(name)).fetch(request.url);
  },
};
