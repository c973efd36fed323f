import { badInput } from '../core/errors/index.ts';
import { type KeyedInboxStore, LoggedInbox } from './logged-inbox-store.ts';
import { loggedStore } from './logged-store.ts';
import type { LogFolder } from './shared-log.ts';
import type { Store } from './store.ts';

const FILES = 'files';

/**
 * A store in a browser's IndexedDB, which all tabs of the site share. What was written is on disk when
 * a write resolves. A browser that runs out of space may remove all of it, unless the page has asked
 * for `navigator.storage.persist()`.
 *
 * @param name of the database; it is made where it is missing
 * @example
 * const store = indexedDbStore('logins');
 */
export function indexedDbStore(name: string): Store {
  return loggedStore(folderIn(name));
}

/**
 * An inbox store in a browser's IndexedDB, as `indexedDbStore` is a store. Handlers write values
 * beside it, by keys.
 *
 * @param name of the database; not one of an `indexedDbStore`
 * @example
 * const store = indexedDbInboxStore('inbox');
 */
export function indexedDbInboxStore(name: string): KeyedInboxStore {
  return new LoggedInbox(folderIn(name));
}

function folderIn(name: string): LogFolder {
  let opened: Promise<IDBDatabase> | undefined;
  const forget = (): void => void (opened = undefined);
  const openOnce = (): Promise<IDBDatabase> =>
    (opened ??= openDatabase(name, forget).catch((thrown: unknown) => {
      forget();
      throw thrown;
    }));
  const ask = async <T>(
    mode: 'readonly' | 'readwrite',
    work: (files: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> => {
    // A write that resolves is on disk: the default is that the system has been told of it.
    const transaction = (await openOnce()).transaction(FILES, mode, { durability: 'strict' });
    const request = work(transaction.objectStore(FILES));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () =>
        reject(request.error ?? transaction.error ?? new Error('aborted'));
    });
  };
  return {
    list: async () => (await ask('readonly', (files) => files.getAllKeys())) as string[],
    read: (key) => ask<string | undefined>('readonly', (files) => files.get(key)),
    create: (key, text) =>
      ask('readwrite', (files) => files.add(text, key)).then(
        () => true,
        (thrown: unknown) => {
          if ((thrown as DOMException).name === 'ConstraintError') return false; // it is there
          throw thrown;
        },
      ),
    remove: (key) => ask('readwrite', (files) => files.delete(key)),
  };
}

/** `onGone` is called when it cannot be used any more: another tab wants it away, or the browser. */
async function openDatabase(name: string, onGone: () => void): Promise<IDBDatabase> {
  const { indexedDB } = globalThis as { readonly indexedDB?: IDBFactory };
  if (!indexedDB) throw badInput('indexedDbStore', 'needs a browser: there is no IndexedDB here');
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(FILES);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onGone;
      database.onversionchange = () => {
        database.close();
        onGone();
      };
      resolve(database);
    };
  });
}
