import type { Row } from '../../devtools/rows.ts';
import {
  ask,
  type Directory,
  type Form,
  type PageResource,
  type Pulse,
  readRefusal,
  type Said,
  asText,
  askWorld,
} from './server.ts';

type Selection =
  | { readonly is: 'row'; readonly key: string }
  | { readonly is: 'item'; readonly subject: string; readonly id: string };

type Change = 'rows' | 'pulse' | 'world' | 'selection' | 'view' | 'live';

/** Maximum number of rows in the page. */
const MAX_ROWS = 10_000;
const WORLD_PACE_MS = 250;

/** State shared by all panes: the rows, the selected account's world, and the selection. */
export class Bench {
  readonly directory: Directory;
  pulse: Pulse | undefined;
  world: Said = {};
  account = '';
  selection: Selection | undefined;
  /** The list in the middle. Absent while the timeline is shown. */
  view: string | undefined;
  isLive = true;
  readonly #rows = new Map<string, Row>();
  readonly #subjects = new Map<string, string>();
  readonly #seen = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: Change) => void>();
  #worldTimer: ReturnType<typeof setTimeout> | undefined;
  #isWorldOld = false;
  readonly #waiting: (() => void)[] = [];
  /** The newest key, by account. */
  readonly #made = new Map<string, string>();

  constructor(directory: Directory) {
    this.directory = directory;
  }

  listen(listener: (change: Change) => void): void {
    this.#listeners.add(listener);
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** In order of arrival. */
  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Adds new rows at the end, and replaces known ones. */
  take(rows: readonly Row[]): void {
    for (const row of rows) {
      if (!this.#rows.has(row.key)) this.#noteSubject(row);
      this.#rows.set(row.key, row);
    }
    if (this.#rows.size > MAX_ROWS * 1.1)
      for (const row of this.rows.slice(0, -MAX_ROWS)) this.#rows.delete(row.key);
    this.tell('rows');
    this.readWorld();
  }

  #noteSubject({ kind, about: [id], subject, account = '' }: Row): void {
    if (!id || !subject) return;
    this.#subjects.set(id, subject);
    if (kind !== 'event') return;
    const name = `${account} ${subject}`;
    this.#seen.set(name, (this.#seen.get(name) ?? new Set()).add(id));
  }

  /** Drops everything, because another world responds now. */
  forget(): void {
    for (const known of [this.#rows, this.#subjects, this.#seen]) known.clear();
    this.select(undefined);
    this.tell('rows');
    this.readWorld();
  }

  row(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  setPulse(pulse: Pulse): void {
    this.pulse = pulse;
    if (!pulse.accounts.includes(this.account)) this.account = pulse.accounts[0] ?? '';
    this.tell('pulse');
    this.readWorld(); // keys and money change without a row
  }

  choose(account: string): void {
    this.account = account;
    this.readWorld();
  }

  /** Schedules a read of the world. A change during the read triggers another one. */
  readWorld(): void {
    this.#isWorldOld = true;
    if (!this.account || this.#worldTimer !== undefined) return;
    this.#worldTimer = setTimeout(
      () => void this.#fetchWorld(),
      this.world['account'] ? WORLD_PACE_MS : 0,
    );
  }

  async #fetchWorld(): Promise<void> {
    const { account } = this;
    this.#isWorldOld = false;
    // the stream shows that it's offline
    const world = await askWorld(account).catch(() => undefined);
    this.#worldTimer = undefined;
    if (world && account === this.account) {
      this.world = world;
      this.tell('world');
    }
    if (this.#isWorldOld) return this.readWorld();
    for (const go of this.#waiting.splice(0)) go();
  }

  /**
   * Resolves once the world includes every received row. Resolves immediately if no read is due.
   */
  whenRead(): Promise<void> {
    if (!this.#isWorldOld && this.#worldTimer === undefined) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  select(selection: Selection | undefined): void {
    this.selection = selection;
    this.tell('selection');
  }

  show(view: string | undefined): void {
    this.view = view;
    this.tell('view');
  }

  items(name: string): readonly Said[] {
    return (this.world[name] ?? []) as readonly Said[];
  }

  /** Counts an account's entries, because lists end at fifty while events don't. */
  count({ name, subject }: PageResource): number {
    const seen = this.#seen.get(`${this.account} ${subject}`)?.size ?? 0;
    return Math.max(seen, this.items(name).length);
  }

  findResource(id: string): PageResource | undefined {
    const subject = this.#subjects.get(id);
    return this.directory.resources.find((resource) =>
      subject ? resource.subject === subject : this.find(resource, id),
    );
  }

  find({ name, id: member }: PageResource, id: string): Said | undefined {
    return this.items(name).find((item) => item[member] === id);
  }

  formFor(resource: PageResource): Form | undefined {
    return this.directory.forms.find((form) => isMadeBy(form, resource));
  }

  /** A valid key of the account. Empty if all are revoked. */
  get key(): string {
    const live = this.items('api-keys')
      .filter(({ isRevoked }) => !isRevoked)
      .map(({ apiKey }) => asText(apiKey));
    const made = this.#made.get(this.account) ?? '';
    return (live.includes(made) ? made : live[0]) ?? '';
  }

  async makeKey(): Promise<void> {
    const { account } = this;
    const { apiKey } = await ask<{ readonly apiKey: string }>('POST', 'keys', { account });
    this.#made.set(account, apiKey);
    this.readWorld();
  }

  /** Sends a request of the API like a program of the account. Rejects with the refusal. */
  async send<T = Said>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && { 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const said = /^[{[]/.test(text) ? (JSON.parse(text) as T) : ({} as T);
    if (!answer.ok) throw new RefusedRequest(answer.status, said as Said);
    return said;
  }
}

export function isMadeBy({ operation, path }: Form, { name, subject }: PageResource): boolean {
  return (
    path === `/v1/${name}` ||
    operation.startsWith(`${subject}s.create`) ||
    (subject === 'payment' && operation.startsWith('paymentQuotes.create'))
  );
}

export class RefusedRequest extends Error {
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, body: Said) {
    const { code, message, fields } = readRefusal(body);
    super([code || `status ${status}`, message].filter(Boolean).join(': '));
    this.fields = fields;
  }
}

/** Runs an action and reports its result. */
export type Act = (label: string, run: () => Promise<unknown>) => Promise<void>;
