import { badInput, checkArgument } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform.ts';
import { formatJson, type Store, type StoredValue } from './store.ts';

/**
 * Creates a store in the browser's IndexedDB, shared by all tabs of the site. When a write
 * resolves, it's on disk. If a browser runs out of space, it may delete the database, unless the
 * page has called `navigator.storage.persist()`. If a page has the database open when that happens,
 * all further operations reject.
 *
 * @param name the database name. It's created if it doesn't exist
 *
 * @example
 * const store = indexedDbStore('logins');
 */
export function indexedDbStore(name: string): Store {
  checkArgument('name', name, 'string!');
  return new IndexedDbStore(name);
}

/**
 * A row in `rows`. An open row also has its key in `openKey`, so that the index contains only open
 * rows.
 */
interface Row {
  readonly key: string;
  readonly text: string;
  readonly version: number;
  readonly openKey?: string;
}

const VERSION = 2;

class IndexedDbStore implements Store {
  readonly durable = true;
  readonly #name: string;
  #opened: Promise<IDBDatabase> | undefined;
  #database: IDBDatabase | undefined;
  /**
   * The database's id. It's used to detect when the database is replaced by another one with the
   * same name.
   */
  #id: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get(key: string): Promise<StoredValue | undefined> {
    return this.#run('readonly', async (rows) => {
      const row = await resultFrom<Row | undefined>(rows.get(key));
      return row && storedValue(row);
    });
  }

  async put(key: string, value: unknown): Promise<number> {
    const text = formatJson(value);
    return this.#run('readwrite', async (rows) => {
      const before = await resultFrom<Row | undefined>(rows.get(key));
      const version = (before?.version ?? 0) + 1;
      rows.put({ ...before, key, text, version });
      return version;
    });
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    const text = formatJson(value);
    return this.#run('readwrite', async (rows) => {
      const before = await resultFrom<Row | undefined>(rows.get(key));
      if ((before?.version ?? 0) !== version) return false;
      rows.put({ key, text, version: version + 1, ...(open && { openKey: key }) });
      return true;
    });
  }

  async listOpen(prefix: string): ReturnType<Store['listOpen']> {
    const open = await this.#run('readonly', (rows) =>
      resultFrom<Row[]>(rows.index('open').getAll(IDBKeyRange.lowerBound(prefix))),
    );
    return open
      .filter(({ key }) => key.startsWith(prefix))
      .map((row) => ({ key: row.key, row: storedValue(row) }));
  }

  /** Runs `work` in one transaction. Once this resolves, the transaction is on disk. */
  async #run<T>(
    mode: 'readonly' | 'readwrite',
    work: (rows: IDBObjectStore) => Promise<T>,
  ): Promise<T> {
    const transaction = await this.#begin(mode);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => {
        const cause = transaction.error;
        if (cause?.name === 'UnknownError') this.#forget(transaction.db);
        const reason = cause?.message ?? 'the transaction was aborted';
        reject(new Error(`IndexedDB "${this.#name}": ${reason}`, { cause }));
      };
    });
    ended.catch(() => {}); // if `work` failed, its own error is thrown instead
    let result: T;
    try {
      result = await work(transaction.objectStore('rows'));
    } catch (thrown) {
      try {
        transaction.abort();
      } catch {}
      await ended.catch(() => {});
      throw thrown;
    }
    await ended;
    return result;
  }

  /**
   * Starts a transaction. Some systems close a page's database without notice. For example, iOS
   * does so in the background. In that case, the database is reopened. That's safe, because no
   * request has been sent yet.
   */
  async #begin(mode: 'readonly' | 'readwrite'): Promise<IDBTransaction> {
    // by default, a write may resolve before it's on disk, so a power failure would lose it
    const begin = (database: IDBDatabase) =>
      database.transaction(['rows'], mode, { durability: 'strict' });
    const database = await this.#open();
    try {
      return begin(database);
    } catch (thrown) {
      if ((thrown as Error).name !== 'InvalidStateError') throw thrown;
      this.#forget(database);
      return begin(await this.#open());
    }
  }

  #open(): Promise<IDBDatabase> {
    return (this.#opened ??= openDatabase(this.#name, (database) => this.#forget(database))
      .then((database) => this.#check(database))
      .then((database) => (this.#database = database))
      .catch((thrown: unknown) => {
        this.#opened = undefined;
        throw thrown;
      }));
  }

  /** Makes the next operation reopen the database, unless it has already been reopened. */
  #forget(database: IDBDatabase): void {
    if (this.#database === database) this.#opened = undefined;
  }

  /**
   * Throws if the database was replaced by an empty one while the page was open. Otherwise the loss
   * of data would go unnoticed.
   */
  async #check(database: IDBDatabase): Promise<IDBDatabase> {
    const id = await resultFrom<string>(
      database.transaction(['notes']).objectStore('notes').get('id') as IDBRequest<string>,
    );
    this.#id ??= id;
    if (id === this.#id) return database;
    database.close();
    throw new Error(
      `IndexedDB "${this.#name}": the data of this site was removed while the page was open; its records are lost. Reload the page to start with an empty database`,
    );
  }
}

function storedValue({ text, version }: Row): StoredValue {
  return { value: JSON.parse(text) as unknown, version };
}

function resultFrom<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * Opens the database. Calls `onGone` when the database becomes unusable because another tab or the
 * browser is deleting it.
 */
async function openDatabase(
  name: string,
  onGone: (database: IDBDatabase) => void,
): Promise<IDBDatabase> {
  const { indexedDB } = globalThis as { readonly indexedDB?: IDBFactory };
  if (!indexedDB)
    throw badInput('indexedDbStore', 'requires IndexedDB, which this runtime does not have');
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion > 0) {
        reject(badInput('name', `database "${name}" was not made by this version of the package`));
        request.transaction!.abort();
        return;
      }
      const { result } = request;
      result.createObjectStore('rows', { keyPath: 'key' }).createIndex('open', 'openKey');
      result.createObjectStore('notes').put(systemUuid(), 'id');
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = () => onGone(database);
      database.onversionchange = () => {
        database.close();
        onGone(database);
      };
      resolve(database);
    };
  });
}
