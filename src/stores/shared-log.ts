import { systemUuid } from '../core/platform.ts';

/** Files of a folder that several processes share. What a file says never changes. */
export interface LogFolder {
  list(): Promise<readonly string[]>;
  /** `undefined` where there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Makes a whole file that outlives a power failure; false where there is one of this name. */
  create(name: string, text: string): Promise<boolean>;
  remove(name: string): Promise<void>;
}

/** What the entries of a log make, one after the other. */
interface Machine<Op> {
  /** The same entries in the same order make the same of every machine. */
  apply(op: Op): Promise<unknown>;
  /** All of it as plain JSON, for `restore` of another one. */
  save(): unknown;
  restore(saved: unknown): void;
}

interface Entry<Op> {
  /** Tells it from every other one. */
  readonly id: string;
  readonly op: Op;
}

interface Saved {
  readonly state: unknown;
  /** Of the entries before it, the newest last. */
  readonly ids: readonly string[];
}

/**
 * After so many entries, when they are as long as the last save, all is saved at once, and entries
 * before the save before it go.
 */
const SAVED_AFTER = 250;
/** So many ids are kept. */
const MOST_IDS = 2_000;
/** A process that always comes too late gives up. */
const MOST_TRIES = 10_000;

/**
 * A log of numbered files. An entry is written by making the file of the next number, which only one
 * process can do: there is no lock that a killed process could leave. Each process makes the same of
 * the entries, and reads those of others before each operation.
 */
export class SharedLog<Op> {
  readonly #folder: LogFolder;
  readonly #machine: Machine<Op>;
  /** Entries that the machine has seen. */
  #count = 0;
  #savedAt = 0;
  /** How long entries may become until they are saved. */
  #room = 0;
  #ids: string[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: LogFolder, machine: Machine<Op>) {
    this.#folder = folder;
    this.#machine = machine;
  }

  /** What is true now. */
  read<T>(look: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#catchUp();
      return look();
    });
  }

  /** Adds the entry that is planned for what is true now; none where the plan has none. */
  change<T>(plan: () => Promise<Op | undefined>, otherwise: T): Promise<T> {
    return this.#inTurn(async () => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        await this.#catchUp();
        const op = await plan();
        if (op === undefined) return otherwise;
        const entry = { id: systemUuid().slice(0, 13), op };
        const text = JSON.stringify(entry);
        if (!(await this.#append(entry, text))) continue;
        const result = (await this.#apply(entry, text)) as T;
        if (this.#count >= this.#savedAt + SAVED_AFTER && this.#room < 0) await this.#save();
        return result;
      }
      throw new Error('other processes write all the time');
    });
  }

  /** One operation of this process after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #apply({ id, op }: Entry<Op>, text: string): Promise<unknown> {
    const result = await this.#machine.apply(op);
    this.#count += 1;
    this.#room -= text.length;
    this.#ids = [...this.#ids.slice(1 - MOST_IDS), id];
    return result;
  }

  async #catchUp(): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { entries, saves } = numbersIn(await this.#folder.list());
      const newest = saves.at(-1) ?? 0;
      if (newest > this.#count && !(await this.#restore(newest))) continue;
      if (await this.#readUpTo(entries.at(-1) ?? 0)) return;
    }
    throw new Error('the files of the store are incomplete');
  }

  async #restore(number: number): Promise<boolean> {
    const text = await this.#folder.read(nameOf('save', number));
    if (text === undefined) return false; // there is a newer one
    const { state, ids } = JSON.parse(text) as Saved;
    this.#machine.restore(state);
    this.#count = this.#savedAt = number;
    this.#room = text.length;
    this.#ids = [...ids];
    return true;
  }

  /** False where an entry is not there: others have saved, and taken it away. */
  async #readUpTo(newest: number): Promise<boolean> {
    while (this.#count < newest) {
      const text = await this.#folder.read(nameOf('entry', this.#count + 1));
      if (text === undefined) return false;
      await this.#apply(JSON.parse(text) as Entry<Op>, text);
    }
    return true;
  }

  /** False where another process was first. */
  async #append({ id }: Entry<Op>, text: string): Promise<boolean> {
    const number = this.#count + 1;
    const name = nameOf('entry', number);
    if (!(await this.#folder.create(name, text))) return false;
    const { saves } = numbersIn(await this.#folder.list());
    const newest = saves.at(-1) ?? 0;
    if (newest < number) return true;
    // Others have saved meanwhile: with this entry, or the number was theirs and had been taken
    // away.
    const { ids } = JSON.parse((await this.#folder.read(nameOf('save', newest))) ?? '{}') as Saved;
    const place = ids.length - 1 - (newest - number);
    if (place < 0) throw new Error('this process was stopped for long: it may have been written');
    if (ids[place] !== id) await this.#folder.remove(name);
    return ids[place] === id;
  }

  async #save(): Promise<void> {
    const [ids, number] = [this.#ids, this.#count];
    const saved: Saved = { state: this.#machine.save(), ids };
    const text = JSON.stringify(saved);
    await this.#folder.create(nameOf('save', number), text);
    this.#room = text.length;
    const before = this.#savedAt;
    this.#savedAt = number;
    // The save before this one stays: a listing that is made now shows one of the two.
    for (const name of await this.#folder.list())
      if (numberOf(name) < before || name === nameOf('entry', before))
        await this.#folder.remove(name);
  }
}

const DIGITS = 12;

function nameOf(kind: 'entry' | 'save', number: number): string {
  return `${String(number).padStart(DIGITS, '0')}.${kind}`;
}

function numberOf(name: string): number {
  return parseInt(name, 10);
}

/** In order. */
function numbersIn(names: readonly string[]): Record<'entries' | 'saves', number[]> {
  const of = (ending: string): number[] =>
    names
      .filter((name) => name.endsWith(ending))
      .map(numberOf)
      .sort((a, b) => a - b);
  return { entries: of('.entry'), saves: of('.save') };
}
