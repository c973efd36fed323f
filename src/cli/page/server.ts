import type { Row } from '../../devtools/rows.ts';

export interface FaultOn {
  readonly id: string;
  readonly rule: object;
  /** How often the rule has matched. Absent if unknown. */
  readonly matched?: number | undefined;
  /** Whether the rule has had no effect so far. */
  readonly isUnused: boolean;
}

/** An assumption about the service, with its alternatives. */
export interface AssumptionSwitch {
  readonly id: string;
  readonly says: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Number of responses that relied on the assumption. */
  readonly count?: number | undefined;
}

/** Sandbox status for the header, sent after each change. */
export interface Pulse {
  readonly now: number;
  /** Whether the sandbox's clock is running. */
  readonly isMoving: boolean;
  readonly accounts: readonly string[];
  readonly faults: readonly FaultOn[];
  readonly assumptions: readonly AssumptionSwitch[];
  readonly blocks: number;
}

interface StreamListener {
  rows(rows: readonly Row[]): void;
  pulse(pulse: Pulse): void;
  /**
   * Called when the server switches to another sandbox, which makes all data on the page outdated.
   */
  world(): void;
  /** Called when the connection to the sandbox opens or breaks. */
  live(isLive: boolean): void;
}

/**
 * Opens the stream of updates from the sandbox. The browser reconnects automatically and sends its
 * last event id.
 */
export function openStream(listener: StreamListener): void {
  const source = new EventSource('/_page/stream');
  const hear = (name: 'rows' | 'pulse' | 'world'): void =>
    source.addEventListener(name, ({ data }) => listener[name](JSON.parse(data) as never));
  for (const name of ['rows', 'pulse', 'world'] as const) hear(name);
  source.onopen = () => listener.live(true);
  source.onerror = () => listener.live(false);
}

/** JSON from the sandbox's control API. */
export type Said = Readonly<Record<string, unknown>>;

/**
 * Calls a sandbox's control API. `origin` defaults to the page's own. Rejects with the error
 * message.
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
  /** Error message. Empty if it's the same as the code. */
  readonly message: string;
  /** Validation errors by field path. */
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

/** A resource type in the page's navigation. */
export interface PageResource {
  /** Name in the service's paths, which is also the key in `Sandbox.inspect`. */
  readonly name: string;
  /** Resource type name in the `move` command. */
  readonly subject: string;
  readonly title: string;
  /** Singular name, for button labels. */
  readonly one: string;
  /** Name of the id field. */
  readonly id: string;
  /**
   * Bank and network actions by current state, each with the resulting state and the button label.
   */
  readonly moves: Readonly<
    Record<string, readonly { readonly to: string; readonly label: string }[]>
  >;
  /**
   * API requests that change one resource, such as `PATCH …/cancel`. Their paths have one
   * parameter.
   */
  readonly commands: readonly (Pick<ApiRoute, 'method' | 'path'> & { readonly label: string })[];
  /** Hint to show when the list is empty. */
  readonly empty: string;
}

/** A form field. Its path may be nested, such as `amount.currency`. */
export interface FormField {
  readonly path: string;
  readonly type: 'text' | 'number' | 'boolean' | 'texts';
  readonly isRequired: boolean;
  /** Suggested values. Other values are also allowed. */
  readonly options?: readonly string[];
  readonly maxLength?: number;
  /**
   * Initial value. Values that start with `$` are placeholders that the page replaces with values
   * from the sandbox.
   */
  readonly value: string;
}

/** A form for a create request. */
export interface Form {
  /** Operation name, such as `invoices.create`. */
  readonly operation: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** An API endpoint and its client method. */
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
