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

/** Maximum number of rows that the page keeps. */
const MAX_ROWS = 10_000;
const WORLD_PACE_MS = 250;

/**
 * State that all panes share, such as the timeline's rows, the selected account's resources, and
 * the selection.
 */
export class Bench {
  readonly directory: Directory;
  pulse: Pulse | undefined;
  world: Said = {};
  account = '';
  selection: Selection | undefined;
  /** Name of the list in the main pane. Absent while the pane shows the timeline. */
  view: string | undefined;
  isLive = true;
  readonly #rows = new Map<string, Row>();
  readonly #subjects = new Map<string, string>();
  readonly #seen = new Map<string, Set<string>>();
  readonly #listeners = new Set<(change: Change) => void>();
  #worldTimer: ReturnType<typeof setTimeout> | undefined;
  #isWorldOld = false;
  readonly #waiting: (() => void)[] = [];
  /** Latest API key that the page created, by account. */
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

  /** Timeline rows, in order of arrival. */
  get rows(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Adds new rows at the end and updates existing ones. */
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

  /** Clears all state, because the server now runs another sandbox. */
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
    this.readWorld(); // API keys and balances may change without a new row
  }

  choose(account: string): void {
    this.account = account;
    this.readWorld();
  }

  /**
   * Schedules a read of the account's resources. If something changes in the meantime, reads again.
   */
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
    // the status in the header already shows that the sandbox is offline
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
   * Resolves when the resources are up to date with all received rows, which may be immediately.
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

  /**
   * Counts the account's resources of one type. Also counts those in events, because lists have at
   * most 50 items.
   */
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

  /** The account's active API key, or an empty string if it has none. */
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

  /**
   * Sends an API request with the account's key. Rejects with `RefusedRequest` if the service
   * rejects it.
   */
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

/** Runs an action and shows its result in the status line. */
export type Act = (label: string, run: () => Promise<unknown>) => Promise<void>;
