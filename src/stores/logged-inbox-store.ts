import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
} from './inbox-store.ts';
import { jsonOf } from './json-text.ts';
import { InboxInMemory, type MemoryTransaction, type SavedInbox } from './memory-inbox-store.ts';
import { type LogFolder, SharedLog } from './shared-log.ts';

/** An inbox store beside which handlers write values by keys. */
export interface KeyedInboxStore extends InboxStore<MemoryTransaction> {
  /** What was written through a transaction. */
  valueOf(key: string): Promise<unknown>;
}

type Written = readonly (readonly [key: string, value: unknown])[];

type Op =
  | readonly ['add', readonly ReceivedEvent[], { readonly cursor?: unknown }]
  | readonly ['lease', number, number, number]
  | readonly ['commit', Lease, Commit, Written]
  | readonly ['deadLetter', Lease, Commit, DeadLetter]
  | readonly ['requeue', string, ReceivedEvent]
  | readonly ['forget', number];

/** An inbox store that is made of the entries of a log. */
export class LoggedInbox implements KeyedInboxStore {
  readonly durable = true;
  readonly #log: SharedLog<Op>;
  #inbox: InboxInMemory = new InboxInMemory();

  constructor(folder: LogFolder) {
    this.#log = new SharedLog<Op>(folder, {
      apply: (op) => apply(this.#inbox, op),
      save: () => this.#inbox.save(),
      restore: (saved) => void (this.#inbox = new InboxInMemory(saved as SavedInbox)),
    });
  }

  valueOf(key: string): Promise<unknown> {
    return this.#log.read(async () => this.#inbox.valueOf(key));
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    const more = cursor === undefined ? {} : { cursor };
    jsonOf([events, more]);
    return this.#log.change<readonly AddResult[]>(async () => ['add', events, more], []);
  }

  cursor(): Promise<unknown> {
    return this.#log.read(() => this.#inbox.cursor());
  }

  async lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    return this.#log.change<readonly Lease[]>(async () => {
      const { nextDue = Infinity } = await this.#inbox.counts();
      return nextDue <= now ? ['lease', now, duration, limit] : undefined;
    }, []);
  }

  /** `write` is called once more where another process has written in between. */
  async commit(
    lease: Lease,
    commit: Commit,
    write: (tx: MemoryTransaction) => void = () => {},
  ): Promise<boolean> {
    const [held, plain] = [keysOf(lease), plainOf(commit)];
    return this.#log.change(async () => {
      if (!this.#inbox.holds(lease)) return undefined;
      const written = [...this.#inbox.draftOf(write)];
      jsonOf(written);
      return ['commit', held, plain, written];
    }, false);
  }

  async deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean> {
    const op: Op = ['deadLetter', keysOf(lease), plainOf(commit), letter];
    return this.#log.change(async () => (this.#inbox.holds(lease) ? op : undefined), false);
  }

  deadLetters(): Promise<readonly DeadLetter[]> {
    return this.#log.read(() => this.#inbox.deadLetters());
  }

  async requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    return this.#log.change(async () => {
      const letters = await this.#inbox.deadLetters();
      return letters.some((letter) => letter.key === key) ? ['requeue', key, event] : undefined;
    }, false);
  }

  counts(): Promise<InboxCounts> {
    return this.#log.read(() => this.#inbox.counts());
  }

  async forget(before: number): Promise<void> {
    const time = Math.min(before, Number.MAX_SAFE_INTEGER);
    await this.#log.change<unknown>(async () => ['forget', time], undefined);
  }
}

function apply(inbox: InboxInMemory, op: Op): Promise<unknown> {
  switch (op[0]) {
    case 'add':
      return inbox.add(op[1], op[2].cursor);
    case 'lease':
      return inbox.lease(op[1], op[2], op[3]);
    case 'commit':
      return inbox.commit(op[1], op[2], (tx) =>
        op[3].forEach(([key, value]) => tx.put(key, value)),
      );
    case 'deadLetter':
      return inbox.deadLetter(op[1], op[2], op[3]);
    case 'requeue':
      return inbox.requeue(op[1], op[2]);
    case 'forget':
      return inbox.forget(op[1]);
  }
}

/** A lease without the bodies of its events. */
function keysOf({ subject, number, events }: Lease): Lease {
  const keys = events.map((event) => ({ ...event, body: '' }));
  return { subject, number, state: null, events: keys };
}

/** As JSON says it. */
function plainOf({ due = Infinity, state, ...rest }: Commit): Commit {
  if (state !== undefined) jsonOf(state);
  return { ...rest, state, ...(Number.isFinite(due) && { due }) };
}
