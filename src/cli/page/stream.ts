/** One line of the timeline; `key` begins with a letter for its kind. */
export interface Row {
  readonly key: string;
  readonly kind: 'request' | 'event' | 'state' | 'webhook';
  /** Time of the sandbox, milliseconds since 1970. */
  readonly at: number;
  /** Method and path, type of the event, name of the resource, or event and receiver. */
  readonly title: string;
  /** How it ended, such as `201` or `UNPAID → PAID`; empty while it is under way. */
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
  /** How often it matched; absent where nobody knows. */
  readonly matched?: number;
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

/** What the bar shows; sent after each change. */
export interface Pulse {
  /** Time of the sandbox. */
  readonly now: number;
  /** Whether its time goes by itself. */
  readonly isMoving: boolean;
  readonly accounts: readonly string[];
  readonly faults: readonly FaultOn[];
  readonly assumptions: readonly AssumptionSwitch[];
  readonly blocks: number;
}

/** What hears of the stream. */
interface StreamListener {
  rows(rows: readonly Row[]): void;
  pulse(pulse: Pulse): void;
  /** Another world answers now: nothing that was shown is true of it. */
  world(): void;
  /** Whether the sandbox can be heard. */
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

/** What a sandbox's control says, as loosely as a page takes it. */
export type Said = Readonly<Record<string, unknown>>;

/**
 * Asks the control of the sandbox that this page came from; rejects with what it says where it
 * refuses.
 */
export async function ask<T = Said>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(`/_sandbox/${path}`, {
    method,
    headers: { 'x-paystate-control': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as T & { readonly message?: string };
  if (!answer.ok) throw new Error(said.message ?? `status ${answer.status}`);
  return said;
}

/** All that an account has. */
export function worldOf(account: string): Promise<Said> {
  return ask('GET', `world?account=${encodeURIComponent(account)}`);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
