// For Node, Deno and Bun: beside the command the one entry that needs a file system.
import { link, mkdir, open, readdir, readFile, unlink } from 'node:fs/promises';
import { systemUuid } from '../core/platform.ts';
import { type KeyedInboxStore, LoggedInbox } from './logged-inbox-store.ts';
import { loggedStore } from './logged-store.ts';
import type { LogFolder } from './shared-log.ts';
import type { Store } from './store.ts';

export type { KeyedInboxStore } from './logged-inbox-store.ts';

/**
 * A store in a folder of its own, for Node, Deno and Bun, which several processes of one machine may
 * share. Everything is kept in memory too: for some ten thousand payments, not for millions.
 *
 * @param path the folder, on a disk of this machine; where it is missing it is made, for its owner's
 * eyes only
 * @example
 * import { fileStore } from 'paystate/stores/file';
 * const store = fileStore('.cache/example-journal');
 */
export function fileStore(path: string): Store {
  return loggedStore(folderOf(path));
}

/**
 * An inbox store in a folder of its own, as `fileStore` is one. Handlers write values beside it, by
 * keys.
 *
 * @param path the folder; not one of a `fileStore`
 * @example
 * import { fileInboxStore } from 'paystate/stores/file';
 * const store = fileInboxStore('.cache/example-inbox');
 */
export function fileInboxStore(path: string): KeyedInboxStore {
  return new LoggedInbox(folderOf(path));
}

/** Made with the first operation. */
function folderOf(path: string): LogFolder {
  let folder: Promise<unknown> | undefined;
  const make = (): Promise<unknown> => (folder ??= mkdir(path, { recursive: true, mode: 0o700 }));
  const pathOf = (name: string): string => `${path}/${name}`;
  return {
    list: async () => (await make(), readdir(path)),
    read: (name) => unless('ENOENT', readFile(pathOf(name), 'utf8')),
    async create(name, text) {
      const draft = pathOf(`${name}-${systemUuid()}`);
      await writeNew(draft, text);
      const isMade = await unless(
        'EEXIST',
        link(draft, pathOf(name)).then(() => true),
      );
      await unlink(draft);
      if (isMade) await syncFolder(path);
      return isMade ?? false;
    },
    remove: async (name) => void (await unless('ENOENT', unlink(pathOf(name)))),
  };
}

async function writeNew(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Windows keeps the names of files by itself, and opens no folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await unless('EISDIR', unless('EPERM', open(path, 'r')));
  try {
    await unless('EPERM', folder?.sync() ?? Promise.resolve());
  } finally {
    await folder?.close();
  }
}

/** What comes of it, or `undefined` where the file system says just this. */
async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if ((thrown as { readonly code?: unknown }).code === code) return undefined;
    throw thrown;
  }
}
