import { badInput } from '../core/errors/index.ts';
import { systemUuid } from '../core/platform.ts';
import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
  ReceivedEventKey,
} from './inbox-store.ts';
import { jsonOf, type Store, type StoredValue } from './store.ts';

/** A handler's transaction with an inbox in IndexedDB. */
export interface KeyedTransaction {
  /** Keeps the value, which must be plain JSON, with the commit that the transaction belongs to. */
  put(key: string, value: unknown): void;
}

/** An inbox store in whose transactions handlers write values by keys. */
export interface KeyedInboxStore extends InboxStore<KeyedTransaction> {
  /** The values that were written through a transaction. */
  valueOf(key: string): Promise<unknown>;
}

/**
 * A store in a browser's IndexedDB, which all tabs of the site share. What was written is on disk
 * when a write resolves. A browser that runs out of space may remove all of it, unless the page has
 * asked for `navigator.storage.persist()`; every operation of a page that had it open then rejects.
 *
 * @param name of the database; it is made where it is missing
 * @example
 * const store = indexedDbStore('logins');
 */
export function indexedDbStore(name: string): Store {
  return new IndexedDbStore(new Database(name));
}

/**
 * An inbox store in a browser's IndexedDB, as `indexedDbStore` is a store. Handlers write values
 * beside it, by keys.
 *
 * @param name of the database; it may be that of an `indexedDbStore`
 * @example
 * const store = indexedDbInboxStore('inbox');
 */
export function indexedDbInboxStore(name: string): KeyedInboxStore {
  return new IndexedDbInbox(new Database(name));
}

/**
 * A row of `rows`; `openKey` is its key while it is open, and absent else, so an index has only
 * those.
 */
interface Row {
  readonly key: string;
  readonly text: string;
  readonly version: number;
  readonly openKey?: string;
}

/**
 * A row of `events`; `openIn` is its subject while it is not done, `doneAt` when it was received
 * else.
 */
interface EventRow extends ReceivedEvent {
  readonly place: number;
  readonly openIn?: string;
  readonly doneAt?: number;
}

/** A row of `subjects`; `added` counts its events, and `due` is Infinity where nothing waits. */
interface SubjectRow {
  readonly subject: string;
  readonly number: number;
  readonly text?: string | undefined;
  readonly due: number;
  readonly until: number;
  readonly added: number;
}

interface LetterRow extends DeadLetter {
  readonly place: number;
}

type Area = 'rows' | 'events' | 'subjects' | 'letters' | 'beside' | 'notes';

const VERSION = 2;

/** Requests of one transaction; each promise resolves before the transaction ends. */
class Transaction {
  readonly #transaction: IDBTransaction;

  constructor(transaction: IDBTransaction) {
    this.#transaction = transaction;
  }

  get<T>(area: Area, key: IDBValidKey): Promise<T | undefined> {
    return resultOf<T | undefined>(this.#area(area).get(key));
  }

  all<T>(area: Area, index?: string, query?: IDBValidKey | IDBKeyRange): Promise<T[]> {
    const source = this.#area(area);
    return resultOf<T[]>((index === undefined ? source : source.index(index)).getAll(query));
  }

  put(area: Area, value: unknown, key?: IDBValidKey): void {
    this.#area(area).put(value, key);
  }

  delete(area: Area, key: IDBValidKey): void {
    this.#area(area).delete(key);
  }

  #area(name: Area): IDBObjectStore {
    return this.#transaction.objectStore(name);
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A database that several stores and tabs may have open. */
class Database {
  readonly #name: string;
  #opened: Promise<IDBDatabase> | undefined;
  /** Tells the database from a later one of the same name. */
  #id: string | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  /** Runs `work` in one transaction, which is on disk when this resolves. */
  async run<T>(
    mode: 'readonly' | 'readwrite',
    areas: readonly Area[],
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    const database = await this.#open();
    // the default is that the system was told of a write, which a power failure loses
    const transaction = database.transaction([...areas], mode, { durability: 'strict' });
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(this.#failure(transaction.error));
    });
    ended.catch(() => {}); // where `work` has failed, its own error is thrown
    let result: T;
    try {
      result = await work(new Transaction(transaction));
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

  #failure(cause: unknown): Error {
    const { message = 'the transaction was aborted' } = Object(cause) as { message?: string };
    return new Error(`IndexedDB "${this.#name}": ${message}`, { cause });
  }

  #open(): Promise<IDBDatabase> {
    const forget = (): void => void (this.#opened = undefined);
    return (this.#opened ??= openDatabase(this.#name, forget)
      .then((database) => this.#check(database))
      .catch((thrown: unknown) => {
        forget();
        throw thrown;
      }));
  }

  /** An empty database in the place of the one that this page had open would silently forget. */
  async #check(database: IDBDatabase): Promise<IDBDatabase> {
    const id = await resultOf<string>(
      database.transaction(['notes']).objectStore('notes').get('id') as IDBRequest<string>,
    );
    if (id === (this.#id ??= id)) return database;
    database.close();
    throw new Error(
      `IndexedDB "${this.#name}": the data of this site was removed while the page was open; ` +
        'what was kept is lost. Load the page again to begin with an empty database',
    );
  }
}

/**
 * `onGone` is called when it cannot be used any more: another tab removes it, or the browser does.
 */
async function openDatabase(name: string, onGone: () => void): Promise<IDBDatabase> {
  const { indexedDB } = globalThis as { readonly indexedDB?: IDBFactory };
  if (!indexedDB) throw badInput('indexedDbStore', 'needs a browser: there is no IndexedDB here');
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 0) return makeAreas(request.result);
      reject(badInput('name', `the database "${name}" is not one of this version of the package`));
      request.transaction!.abort();
    };
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

function makeAreas(database: IDBDatabase): void {
  const rows = database.createObjectStore('rows', { keyPath: 'key' });
  rows.createIndex('open', 'openKey');
  const events = database.createObjectStore('events', { keyPath: ['kind', 'id'] });
  events.createIndex('open', 'openIn');
  events.createIndex('done', 'doneAt');
  database.createObjectStore('subjects', { keyPath: 'subject' }).createIndex('due', 'due');
  database.createObjectStore('letters', { keyPath: 'key' });
  database.createObjectStore('beside');
  database.createObjectStore('notes').put(systemUuid(), 'id');
}

class IndexedDbStore implements Store {
  readonly durable = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(key: string): Promise<StoredValue | undefined> {
    return this.#database.run('readonly', ['rows'], async (tx) => {
      const row = await tx.get<Row>('rows', key);
      return row && valueIn(row);
    });
  }

  async put(key: string, value: unknown): Promise<number> {
    const text = jsonOf(value);
    return this.#database.run('readwrite', ['rows'], async (tx) => {
      const before = await tx.get<Row>('rows', key);
      const version = (before?.version ?? 0) + 1;
      tx.put('rows', { ...before, key, text, version });
      return version;
    });
  }

  async compareAndSet(
    key: string,
    version: number,
    value: unknown,
    open = false,
  ): Promise<boolean> {
    const text = jsonOf(value);
    return this.#database.run('readwrite', ['rows'], async (tx) => {
      const before = await tx.get<Row>('rows', key);
      if ((before?.version ?? 0) !== version) return false;
      tx.put('rows', { key, text, version: version + 1, ...(open && { openKey: key }) });
      return true;
    });
  }

  async listOpen(
    prefix: string,
  ): Promise<readonly { readonly key: string; readonly row: StoredValue }[]> {
    const rows = await this.#database.run('readonly', ['rows'], (tx) =>
      tx.all<Row>('rows', 'open', IDBKeyRange.lowerBound(prefix)),
    );
    return rows
      .filter(({ key }) => key.startsWith(prefix))
      .map((row) => ({ key: row.key, row: valueIn(row) }));
  }
}

function valueIn({ text, version }: Row): StoredValue {
  return { value: JSON.parse(text) as unknown, version };
}

const QUEUE = ['events', 'subjects', 'letters', 'beside', 'notes'] as const;

class IndexedDbInbox implements KeyedInboxStore {
  readonly durable = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async valueOf(key: string): Promise<unknown> {
    const text = await this.#read((tx) => tx.get<string>('beside', key));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    const text = cursor === undefined ? undefined : jsonOf(cursor);
    return this.#write(async (tx) => {
      const added: AddResult[] = [];
      for (const event of events) added.push(await keep(tx, event));
      if (text !== undefined) tx.put('notes', text, 'cursor');
      return added;
    });
  }

  async cursor(): Promise<unknown> {
    const text = await this.#read((tx) => tx.get<string>('notes', 'cursor'));
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }

  lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    return this.#write(async (tx) => {
      const due = await tx.all<SubjectRow>('subjects', 'due', IDBKeyRange.upperBound(now));
      const leases: Lease[] = [];
      for (const row of due.filter(({ until }) => until <= now).slice(0, limit)) {
        const { subject, text } = row;
        const number = row.number + 1;
        tx.put('subjects', { ...row, number, until: now + duration });
        const state = text === undefined ? undefined : (JSON.parse(text) as unknown);
        leases.push({ subject, number, state, events: (await openOf(tx, subject)).map(eventIn) });
      }
      return leases;
    });
  }

  async commit(
    lease: Lease,
    commit: Commit,
    write?: (tx: KeyedTransaction) => void,
  ): Promise<boolean> {
    const written: (readonly [key: string, text: string])[] = [];
    write?.({ put: (key, value) => void written.push([key, jsonOf(value)]) });
    return this.#commit(lease, commit, async (tx) => {
      for (const [key, text] of written) tx.put('beside', text, key);
    });
  }

  deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean> {
    return this.#commit(lease, commit, async (tx) => {
      const letters = await tx.all<LetterRow>('letters');
      const known = letters.find(({ key }) => key === letter.key);
      const last = letters.reduce((most, { place }) => Math.max(most, place), 0);
      const { key, subject, body } = letter;
      tx.put('letters', { key, subject, body, place: known?.place ?? last + 1 });
    });
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const letters = await this.#read((tx) => tx.all<LetterRow>('letters'));
    letters.sort((a, b) => a.place - b.place);
    return letters.map(({ key, subject, body }) => ({ key, subject, body }));
  }

  requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    return this.#write(async (tx) => {
      if (!(await tx.get('letters', key))) return false;
      tx.delete('letters', key);
      await keep(tx, event);
      return true;
    });
  }

  counts(): Promise<InboxCounts> {
    return this.#read(async (tx) => {
      const open = await tx.all<EventRow>('events', 'open');
      const letters = await tx.all('letters');
      const waiting = await tx.all<SubjectRow>('subjects', 'due', belowInfinity());
      const oldest = Math.min(...open.map(({ createdAt }) => createdAt));
      const nextDue = Math.min(...waiting.map(({ due, until }) => Math.max(due, until)));
      return {
        open: open.length,
        deadLetters: letters.length,
        ...(nextDue < Infinity && { nextDue }),
        ...(oldest < Infinity && { oldest }),
      };
    });
  }

  forget(before: number): Promise<void> {
    return this.#write(async (tx) => {
      const done = IDBKeyRange.upperBound(before, true);
      for (const { kind, id } of await tx.all<EventRow>('events', 'done', done))
        tx.delete('events', [kind, id]);
    });
  }

  #commit(
    { subject, number, events }: Lease,
    { state, done = [], due = Infinity, until = 0 }: Commit,
    more: (tx: Transaction) => Promise<void>,
  ): Promise<boolean> {
    const text = state === undefined ? undefined : jsonOf(state);
    return this.#write(async (tx) => {
      const row = await tx.get<SubjectRow>('subjects', subject);
      if (row?.number !== number) return false;
      await more(tx);
      for (const { kind, id } of done) await close(tx, { kind, id });
      const leased = new Set(events.map(nameOf));
      const received = (await openOf(tx, subject))
        .filter((event) => !leased.has(nameOf(event)))
        .map(({ receivedAt }) => receivedAt);
      tx.put('subjects', { ...row, text, until, due: Math.min(due, ...received) });
      return true;
    });
  }

  #read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#database.run('readonly', QUEUE, work);
  }

  #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#database.run('readwrite', QUEUE, work);
  }
}

function belowInfinity(): IDBKeyRange {
  return IDBKeyRange.upperBound(Infinity, true);
}

function nameOf({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

function eventIn(row: EventRow): ReceivedEvent {
  const { kind, id, subject, body, createdAt, receivedAt } = row;
  return { kind, id, subject, body, createdAt, receivedAt };
}

async function openOf(tx: Transaction, subject: string): Promise<EventRow[]> {
  const open = await tx.all<EventRow>('events', 'open', subject);
  return open.sort((a, b) => a.place - b.place);
}

async function keep(tx: Transaction, event: ReceivedEvent): Promise<AddResult> {
  const { kind, id, subject, receivedAt } = event;
  const known = await tx.get<EventRow>('events', [kind, id]);
  if (known) return known.subject === subject ? 'known' : 'clash';
  const row = (await tx.get<SubjectRow>('subjects', subject)) ?? {
    subject,
    number: 0,
    due: Infinity,
    until: 0,
    added: 0,
  };
  tx.put('events', { ...eventIn(event as EventRow), place: row.added, openIn: subject });
  tx.put('subjects', { ...row, added: row.added + 1, due: Math.min(row.due, receivedAt) });
  return 'new';
}

/** It stays known, without its body. */
async function close(tx: Transaction, { kind, id }: ReceivedEventKey): Promise<void> {
  const row = await tx.get<EventRow>('events', [kind, id]);
  if (!row?.openIn) return;
  const { openIn: _, ...rest } = row;
  tx.put('events', { ...rest, body: '', doneAt: row.receivedAt });
}
