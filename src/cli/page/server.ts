/** One line of the timeline; `key` begins with a letter for its kind. */
export interface Row {
  readonly key: string;
  readonly kind: 'request' | 'event' | 'state' | 'webhook';
  /** Time of the sandbox, milliseconds since 1970. */
  readonly at: number;
  /** Method and path, type of the event, name of the resource, or event and receiver. */
  readonly title: string;
  /** Its result, such as `201` or `UNPAID → PAID`; empty while it is under way. */
  readonly end: string;
  /** Why, such as the code of a refusal or a retry that follows. */
  readonly why?: string | undefined;
  readonly isBad: boolean;
  /** Milliseconds that a request took. */
  readonly took?: number | undefined;
  /** Ids of the resources that it is about; the first is shown. */
  readonly about: readonly string[];
  /** Handle of the account, where that is known. */
  readonly account?: string | undefined;
  /** Name of the resource that an event or a state is about. */
  readonly subject?: string | undefined;
}

/** A fault that is in force. */
export interface FaultOn {
  readonly id: string;
  readonly rule: object;
  /** Number of its matches; absent where nobody knows. */
  readonly matched?: number | undefined;
  /** It has changed nothing so far. */
  readonly isUnused: boolean;
}

/** A behaviour that can be assumed otherwise, as the control offers it. */
export interface AssumptionSwitch {
  readonly id: string;
  readonly says: string;
  /** The alternative that holds now. */
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly says: string }[];
  /** Responses that relied on it. */
  readonly count?: number | undefined;
}

/** The bar shows this; it is sent after each change. */
export interface Pulse {
  /** Time of the sandbox. */
  readonly now: number;
  /** True if its time goes by itself. */
  readonly isMoving: boolean;
  readonly accounts: readonly string[];
  readonly faults: readonly FaultOn[];
  readonly assumptions: readonly AssumptionSwitch[];
  readonly blocks: number;
}

/** Listens to the stream. */
interface StreamListener {
  rows(rows: readonly Row[]): void;
  pulse(pulse: Pulse): void;
  /** Another world answers now: nothing that was shown is true of it. */
  world(): void;
  /** True if the sandbox can be heard. */
  live(isLive: boolean): void;
}

/** Follows the sandbox; the browser connects again by itself and names the last id it has. */
export function openStream(listener: StreamListener): void {
  const source = new EventSource('/_page/stream');
  const hear = (name: 'rows' | 'pulse' | 'world'): void =>
    source.addEventListener(name, ({ data }) => listener[name](JSON.parse(data) as never));
  for (const name of ['rows', 'pulse', 'world'] as const) hear(name);
  source.onopen = () => listener.live(true);
  source.onerror = () => listener.live(false);
}

/** An answer of a sandbox's control, as loosely as a page takes it. */
export type Said = Readonly<Record<string, unknown>>;

/**
 * Asks the control of a sandbox, without `origin` of the one that this page came from; rejects with
 * what it says where it refuses.
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

/** All that an account has. */
export function askWorld(account: string): Promise<Said> {
  return ask('GET', `world?account=${encodeURIComponent(account)}`);
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A refusal of the API, as its envelope says it. */
interface Refusal {
  readonly code: string;
  /** Empty where it only repeats the code. */
  readonly message: string;
  /** What is wrong, by the path of the member. */
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

/** A resource as the page shows it. The server makes them from the registry. */
export interface PageResource {
  /** The service's word, under which the world has it. */
  readonly name: string;
  /** The resource's name, as `move` calls it. */
  readonly subject: string;
  readonly title: string;
  /** One of them, in a button's name. */
  readonly one: string;
  /** The member that identifies it. */
  readonly id: string;
  /** Actions of the world outside on it, by its state: the state to come, and the word for it. */
  readonly moves: Readonly<
    Record<string, readonly { readonly to: string; readonly label: string }[]>
  >;
  /** Commands of the API on one resource, such as `PATCH …/cancel`; paths have one parameter. */
  readonly commands: readonly (Pick<ApiRoute, 'method' | 'path'> & { readonly label: string })[];
  /** Says what to do where there is none. */
  readonly empty: string;
}

/** A member of a draft, found by its path, such as `amount.currency`. */
export interface FormField {
  readonly path: string;
  readonly type: 'text' | 'number' | 'boolean' | 'texts';
  readonly isRequired: boolean;
  /** The texts that are known; others may pass. */
  readonly options?: readonly string[];
  readonly maxLength?: number;
  /** Filled in; `$` begins what the page finds out first. */
  readonly value: string;
}

/** A request that makes something. */
export interface Form {
  /** Name of the operation, such as `invoices.create`. */
  readonly operation: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** A request of the API and the member of the client that sends it. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly hasDraft: boolean;
}

/** Everything that the page knows of the service. */
export interface Directory {
  readonly resources: readonly PageResource[];
  readonly forms: readonly Form[];
  readonly routes: readonly ApiRoute[];
}

export async function loadDirectory(): Promise<Directory> {
  return (await fetch('/_page/resources.json')).json() as Promise<Directory>;
}
