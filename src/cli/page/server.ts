import type { Row } from '../../devtools/rows.ts';

export interface FaultOn {
  readonly id: string;
  readonly rule: object;
  /** Number of its matches. Absent if unknown. */
  readonly matched?: number | undefined;
  /** Whether it has had no effect so far. */
  readonly isUnused: boolean;
}

/** A behaviour with alternatives, as the control offers it. */
export interface AssumptionSwitch {
  readonly id: string;
  readonly says: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Responses that relied on it. */
  readonly count?: number | undefined;
}

/** The content of the bar, sent after each change. */
export interface Pulse {
  readonly now: number;
  /** Whether its time moves on its own. */
  readonly isMoving: boolean;
  readonly accounts: readonly string[];
  readonly faults: readonly FaultOn[];
  readonly assumptions: readonly AssumptionSwitch[];
  readonly blocks: number;
}

interface StreamListener {
  rows(rows: readonly Row[]): void;
  pulse(pulse: Pulse): void;
  /** Another world responds now, so everything shown is outdated. */
  world(): void;
  /** Reports whether the sandbox is reachable. */
  live(isLive: boolean): void;
}

/** Follows the sandbox. The browser reconnects on its own and sends its last event id. */
export function openStream(listener: StreamListener): void {
  const source = new EventSource('/_page/stream');
  const hear = (name: 'rows' | 'pulse' | 'world'): void =>
    source.addEventListener(name, ({ data }) => listener[name](JSON.parse(data) as never));
  for (const name of ['rows', 'pulse', 'world'] as const) hear(name);
  source.onopen = () => listener.live(true);
  source.onerror = () => listener.live(false);
}

/** A response of a sandbox's control, loosely typed. */
export type Said = Readonly<Record<string, unknown>>;

/**
 * Calls a sandbox's control API. Without `origin`, that's this page's own. Rejects with the message
 * of a refusal.
 */
export async function ask<T = Said>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  origin = '',
): Promise<T> {
  const answer = await fetch(`${origin}/_sandbox/${path}`, {
    method,
    headers: { 'x-paystate-control': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as T & { readonly message?: string };
  if (!answer.ok) throw new Error(said.message ?? `status ${answer.status}`);
  return said;
}

export function askWorld(account: string): Promise<Said> {
  return ask('GET', `world?account=${encodeURIComponent(account)}`);
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface Refusal {
  readonly code: string;
  /** Empty if it only repeats the code. */
  readonly message: string;
  /** Problems by field path. */
  readonly fields: Readonly<Record<string, string>>;
  readonly values: Said;
}

export function readRefusal(body: Said): Refusal {
  const {
    code,
    message,
    validationErrors = {},
    values = {},
  } = (body['data'] ?? {}) as {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly validationErrors?: Readonly<Record<string, readonly Said[]>>;
    readonly values?: Said;
  };
  const fields = Object.entries(validationErrors).map(([path, errors]) => [
    path,
    errors.map((error) => asText(error['message'])).join(', '),
  ]);
  return {
    code: asText(code),
    message: message === code ? '' : asText(message),
    fields: Object.fromEntries(fields),
    values,
  };
}

/** A resource of the page. The server makes it from the registry. */
export interface PageResource {
  /** The service's name, which is its key in the world. */
  readonly name: string;
  /** The resource's name for `move`. */
  readonly subject: string;
  readonly title: string;
  /** Singular, for the name of a button. */
  readonly one: string;
  /** The field that identifies it. */
  readonly id: string;
  /** Actions of the outside world by current state, with the resulting state and the label. */
  readonly moves: Readonly<
    Record<string, readonly { readonly to: string; readonly label: string }[]>
  >;
  /** Commands of the API on one resource, such as `PATCH …/cancel`. Paths have one parameter. */
  readonly commands: readonly (Pick<ApiRoute, 'method' | 'path'> & { readonly label: string })[];
  /** Advice for an empty list. */
  readonly empty: string;
}

/** A field of a draft by its path, such as `amount.currency`. */
export interface FormField {
  readonly path: string;
  readonly type: 'text' | 'number' | 'boolean' | 'texts';
  readonly isRequired: boolean;
  /** Known values. Others are possible. */
  readonly options?: readonly string[];
  readonly maxLength?: number;
  /** The initial value. A `$` marks a value that the page must request first. */
  readonly value: string;
}

/** A creating request. */
export interface Form {
  /** Name of the operation, such as `invoices.create`. */
  readonly operation: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** A request of the API, and the client method for it. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly hasDraft: boolean;
}

export interface Directory {
  readonly resources: readonly PageResource[];
  readonly forms: readonly Form[];
  readonly routes: readonly ApiRoute[];
}

export async function loadDirectory(): Promise<Directory> {
  return (await fetch('/_page/resources.json')).json() as Promise<Directory>;
}
