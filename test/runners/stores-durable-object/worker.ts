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

const OLD = [
  `CREATE TABLE paystate_arrivals (id TEXT PRIMARY KEY, subject TEXT NOT NULL, body TEXT NOT NULL, createdAt REAL NOT NULL,
    arrivedAt REAL NOT NULL, open INTEGER NOT NULL DEFAULT 1)`,
  'CREATE INDEX paystate_arrivals_open ON paystate_arrivals (subject) WHERE open = 1',
  'CREATE INDEX paystate_arrivals_done ON paystate_arrivals (arrivedAt) WHERE open = 0',
  'CREATE TABLE paystate_subjects (subject TEXT PRIMARY KEY, memo TEXT, due REAL, until REAL NOT NULL DEFAULT 0, claim INTEGER NOT NULL DEFAULT 0)',
  `INSERT INTO paystate_arrivals VALUES ('e', 's', 'b', 1, 2, 1), ('e t', 's', '', 1, 2, 1), ('replay k 20', 's', 'b', 1, 2, 1), ('done', 's', '', 1, 2, 0)`,
  `INSERT INTO paystate_subjects (subject, due) VALUES ('s', 2)`,
];

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
      // Tables of the first form, without kinds, and the store that takes them over.
      '/old': async () => {
        for (const query of OLD) storage.sql.exec(query);
        const store = durableObjectInboxStore(storage);
        const leases = await store.lease(9, 1, 9);
        const again = durableObjectInboxStore(storage);
        const [first] = leases;
        const added = await again.add(first!.events);
        return [
          leases.map(({ events }) => events),
          added,
          await again.commit(first!, { state: 1, done: first!.events }),
          await again.counts(),
        ];
      },
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
