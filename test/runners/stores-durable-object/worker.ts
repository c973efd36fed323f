// The checks of stores in a Durable Object.
import { durableObjectInboxStore, durableObjectStore } from 'paystate/stores';
import { type BesideInbox, checkInboxStore, checkStore } from 'paystate/testing';

type Sql = Parameters<Parameters<ReturnType<typeof durableObjectInboxStore>['commit']>[2] & {}>[0];
type State = { readonly storage: Parameters<typeof durableObjectInboxStore>[0] };

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(url: string): Promise<Response> };
}

const besideIn = (sql: Sql): BesideInbox<Sql> => {
  sql.exec('CREATE TABLE IF NOT EXISTS beside (key TEXT PRIMARY KEY, value TEXT)');
  return {
    write: (tx, key, value) =>
      void tx.exec('INSERT INTO beside (key, value) VALUES (?, ?)', key, value),
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
      '/store': () => troubleOf(checkStore(() => durableObjectStore(storage))),
      '/inbox': () =>
        troubleOf(checkInboxStore(() => durableObjectInboxStore(storage), besideIn(storage.sql))),
      // What a process leaves and the next one finds.
      '/leave': () =>
        durableObjectInboxStore(storage).add(
          [{ kind: 'event', id: 'kept', subject: 's', body: 'b', createdAt: 1, receivedAt: 2 }],
          { floor: 3 },
        ),
      '/find': async () => {
        const store = durableObjectInboxStore(storage);
        return [
          await store.cursor(),
          await store.lease(9, 1, 1),
          durableObjectStore(storage).durable && store.durable,
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
