import { badInput, type PaystateError } from '../core/errors/index.ts';
import {
  type AnyEndpoint,
  type Connection,
  type Endpoint,
  refuseClient,
} from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import * as endpoints from '../endpoints.ts';
import { formatMoney } from '../money/index.ts';
import type { AccountLimits } from '../resources/accounts.ts';
import {
  addressFindingOf,
  clockFindingOf,
  endFindingOf,
  type FailedRead,
  type Finding,
  findingOf,
  isFromElsewhere,
  openProbe,
  type Probe,
} from './connection.ts';
import { type DoctorWebhookOptions, webhookFindings } from './webhooks.ts';

/** Options of the doctor; every member has a default. */
export interface DoctorOptions {
  /** Scopes that the credential must have; when absent, all scopes that a read can show. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Options of the check of webhooks; `false`: not at all, for programs that read the event feed.
   */
  readonly webhooks?: DoctorWebhookOptions | false | undefined;
  /** Called before each scope is checked, and once after the last. */
  readonly onProgress?: ((progress: DoctorProgress) => void) | undefined;
  /** Ends the check early: the promise is rejected with your own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The findings. They can be sent as JSON: no secret is in them. */
export interface DoctorReport {
  /** No finding is a problem. */
  readonly ok: boolean;
  /** In the order in which they were checked. */
  readonly findings: readonly Finding[];
  /** By scope. Scopes that were not checked because the check ended before them are absent. */
  readonly scopes: Readonly<Record<string, ScopeAnswer>>;
}

/**
 * Checks a set-up: address, credential, clock, scopes, limits, webhooks. It reads and changes
 * nothing: at most one read for each scope (about fifteen) and one of the subscriptions, one after
 * the other, counted in the client's rate limits with low priority. It stops at the first finding
 * that hides all others, such as an address with `/v1`, a credential that is refused, or a rate
 * limit that is used up, and never waits for that limit longer than a second.
 *
 * Receivers of webhooks get an unsigned request, and with `webhooks.secret` a signed event of the
 * type `paystate.doctor`; `webhooks.askReceivers: false` leaves that out.
 *
 * @param client any client, also one of a Worker or a Durable Object
 * @param options the scopes that are needed, how webhooks are checked, progress and signal
 * @returns a report; `ok` is false where a finding is a problem
 * @throws InputError for options that cannot be right; the reason of the signal. Whatever is wrong
 * with the set-up is a finding and never an error.
 * @example
 * const scopes = ['partner.invoice.read'];
 * const { ok, findings } = await doctor(client, { scopes, webhooks: false });
 * if (!ok) console.log(findings.filter(({ verdict }) => verdict === 'problem'));
 */
export async function doctor(
  client: Connection,
  options: DoctorOptions = {},
): Promise<DoctorReport> {
  checkDoctorOptions(client, options);
  const { scopes: needed = [], webhooks = {}, onProgress, signal } = options;
  const address = addressFindingOf(client);
  if (address.verdict === 'problem') return reportOf([address]);
  const probe = openProbe(client, signal);
  const reads = await readScopes(probe, onProgress);
  const { answers, end } = reads;
  const clock = clockFindingOf(probe.ahead());
  if (end) {
    const last = endFindingOf(client, end, isAnswered(answers));
    return reportOf(last.subject === 'address' ? [last, clock] : [address, last, clock], answers);
  }
  const findings = [
    address,
    clock,
    credentialFinding(answers),
    ...scopeFindings(answers, needed),
    limitFinding(reads.valueOf(endpoints.accounts.getLimits)),
    ...(webhooks ? await subscriptionFindings(client, probe, reads, webhooks) : []),
  ];
  return reportOf(findings, answers);
}

function reportOf(
  findings: readonly Finding[],
  answers: ScopeReads['answers'] = new Map(),
): DoctorReport {
  const ok = findings.every(({ verdict }) => verdict !== 'problem');
  return { ok, findings, scopes: Object.fromEntries(answers) };
}

function checkDoctorOptions(client: Connection, options: DoctorOptions): void {
  const refused = refuseClient(client);
  if (refused) throw refused;
  const { scopes = [], webhooks = {}, onProgress, signal } = Object(options) as DoctorOptions;
  if (!Array.isArray(scopes)) throw badInput('scopes', 'must be an array of scopes');
  const known = scopeProbes().map(({ scope }) => scope);
  for (const [at, scope] of scopes.entries())
    if (!known.includes(scope)) throw badInput(`scopes[${at}]`, 'must be a scope of the service');
  if (webhooks !== false && (typeof webhooks !== 'object' || webhooks === null))
    throw badInput('webhooks', 'must be an object with options, or false');
  const { secret, askReceivers, deliver } = webhooks || {};
  if (secret !== undefined && typeof secret !== 'string')
    throw badInput('webhooks.secret', 'must be a text');
  if (askReceivers !== undefined && typeof askReceivers !== 'boolean')
    throw badInput('webhooks.askReceivers', 'must be true or false');
  for (const [name, given] of Object.entries({ onProgress, 'webhooks.deliver': deliver }))
    if (given !== undefined && typeof given !== 'function')
      throw badInput(name, 'must be a function');
  if (signal !== undefined && typeof signal?.aborted !== 'boolean')
    throw badInput('signal', 'must be an AbortSignal');
}

function credentialFinding(answers: ScopeReads['answers']): Finding {
  const found = findingOf('credential');
  return isAnswered(answers)
    ? found('ok', 'KEY_OK', 'the service knows the key')
    : found('unknown', 'KEY_UNKNOWN', 'no response showed whether the service knows the key');
}

const LIMITS = ['deposit', 'achDeposit', 'send', 'withdrawal', 'instant'] as const;

function limitFinding(all: AccountLimits | undefined): Finding {
  const found = findingOf('limits');
  if (!all)
    return found('unknown', 'LIMITS_UNKNOWN', 'the limits of the account could not be read');
  const left = LIMITS.flatMap((name) => {
    const effective = all[name]?.amount?.effective;
    return effective ? [`${name} ${formatMoney(effective, { locale: 'en' })}`] : [];
  });
  const message =
    left.length > 0 ? `limits left: ${left.join(', ')}` : 'the service publishes no limits';
  return found('ok', 'LIMITS_OK', message);
}

/** Reads the subscriptions and checks them. */
async function subscriptionFindings(
  client: Connection,
  probe: Probe,
  { answers, valueOf }: ScopeReads,
  options: DoctorWebhookOptions,
): Promise<readonly Finding[]> {
  const found = findingOf('webhooks');
  const { list } = endpoints.subscriptions;
  const unchecked = (reason: string) => [
    found('unknown', 'WEBHOOK_UNKNOWN', `${reason}, so webhooks were not checked`),
  ];
  const answer = answers.get(list.scope);
  if (answer === 'no') return unchecked('the key may not read subscriptions');
  if (answer !== 'yes') return unchecked('the events could not be read');
  const { value: subscriptions, failed } = await probe.read(list, {});
  if (failed && ['refused', 'response', 'input'].includes(failed.error.kind))
    return unchecked(`the subscriptions could not be read (${failed.error.code})`);
  if (failed) return [endFindingOf(client, failed, true)];
  const events = valueOf(endpoints.events.list)?.items ?? [];
  return webhookFindings({ probe, subscriptions, events }, options);
}

/**
 * The answer for a scope of the credential. `unknown`: every request that needs the scope changes
 * something, or the response did not show it.
 */
export type ScopeAnswer = 'yes' | 'no' | 'unknown';

/** Number of the scopes that were checked. */
export interface DoctorProgress {
  /** Scopes that were checked. */
  readonly done: number;
  /** All scopes of the service. */
  readonly total: number;
}

/** The purpose of a scope, and the read that shows if the credential has it. */
interface ScopeProbe {
  readonly scope: string;
  readonly operations: readonly string[];
  /** Absent where each request that needs the scope changes something or calls another server. */
  readonly read?: { readonly endpoint: AnyEndpoint; readonly where: object };
}

/** No resource has this id. */
const NO_ID = '00000000-0000-4000-8000-000000000000';

/** This read makes the service call the server of a Lightning address. */
const CALLS_ANOTHER_SERVER = 'paymentQuotes.getLnurl';

/** Events that are read; the check of webhooks uses the same ones. */
const MAX_EVENTS = 20;

/** One probe for each scope in the endpoint tables, by name. */
export function scopeProbes(): readonly ScopeProbe[] {
  const byScope = new Map<string, AnyEndpoint[]>();
  for (const endpoint of Object.values(endpoints).flatMap(endpointsIn))
    byScope.set(endpoint.scope, [...(byScope.get(endpoint.scope) ?? []), endpoint]);
  return [...byScope]
    .map(([scope, all]) => ({
      scope,
      operations: all.map(({ operation }) => operation),
      ...readOf(all),
    }))
    .sort((a, b) => (a.scope < b.scope ? -1 : 1));
}

/** The endpoints of a resource; the entry also has functions, state machines and lists. */
function endpointsIn(table: unknown): readonly AnyEndpoint[] {
  if (typeof table !== 'object' || table === null) return [];
  return Object.values(table as Readonly<Record<string, unknown>>).filter(
    (one): one is AnyEndpoint =>
      typeof one === 'object' && one !== null && 'scope' in one && 'operation' in one,
  );
}

/** The cheapest read of a scope: a list with one item, else a resource that no account has. */
function readOf(all: readonly AnyEndpoint[]): Pick<ScopeProbe, 'read'> {
  const reads = all.filter(
    ({ method, operation }) => method === 'GET' && operation !== CALLS_ANOTHER_SERVER,
  );
  const endpoint = reads.find(({ path }) => !path.includes('{')) ?? reads[0];
  if (!endpoint) return {};
  if (endpoint.operation === endpoints.events.list.operation)
    return { read: { endpoint, where: { orderBy: 'created desc', top: MAX_EVENTS } } };
  const ids = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, NO_ID]);
  const top = endpoint.query?.['top'] ? { top: 1 } : {};
  return { read: { endpoint, where: { ...Object.fromEntries(ids), ...top } } };
}

/** The results of the reads. */
interface ScopeReads {
  /** By scope; only the scopes that were checked before the end. */
  readonly answers: ReadonlyMap<string, ScopeAnswer>;
  /** The result of a read of this endpoint, where it succeeded. */
  valueOf<Value>(endpoint: Endpoint<never, void, Value>): Value | undefined;
  /** The cause that ended the reads early: no response, a credential that was refused, a block. */
  readonly end?: FailedRead | undefined;
}

/** Reads for one scope after the other. */
async function readScopes(
  probe: Probe,
  onProgress?: (progress: DoctorProgress) => void,
): Promise<ScopeReads> {
  const answers = new Map<string, ScopeAnswer>();
  const values = new Map<string, unknown>();
  const valueOf = <Value>({ operation }: Endpoint<never, void, Value>) =>
    values.get(operation) as Value | undefined;
  const probes = scopeProbes();
  for (const [done, { scope, read }] of probes.entries()) {
    isolated(() => onProgress?.({ done, total: probes.length }));
    if (!read) {
      answers.set(scope, 'unknown');
      continue;
    }
    const result = await probe.read(read.endpoint as Endpoint<never, void, unknown>, read.where);
    const { failed } = result;
    const answer = failed ? answerOf(failed.error, isAnswered(answers)) : 'yes';
    if (!answer) return { answers, valueOf, end: failed };
    answers.set(scope, answer);
    if (!failed) values.set(read.endpoint.operation, result.value);
  }
  isolated(() => onProgress?.({ done: probes.length, total: probes.length }));
  return { answers, valueOf };
}

/** True if the service itself has answered: yes or no. */
function isAnswered(answers: ScopeReads['answers']): boolean {
  return [...answers.values()].some((answer) => answer !== 'unknown');
}

/**
 * The answer of a failed read about the scope; `undefined` where no further read can say more. Only
 * a credential with the scope is told that a resource does not exist.
 */
function answerOf(error: PaystateError, wasAnswered: boolean): ScopeAnswer | undefined {
  const { kind, status, code } = error;
  if (kind === 'refused') return status === 403 ? 'no' : code === 'NOT_FOUND' ? 'yes' : 'unknown';
  if (isFromElsewhere(error))
    return wasAnswered && (status === 404 || kind === 'response') ? 'unknown' : undefined;
  return kind === 'response' || kind === 'input' ? 'unknown' : undefined;
}

/** The findings of the scopes that are needed; of all scopes where none is named. */
function scopeFindings(
  answers: ScopeReads['answers'],
  needed: readonly string[],
): readonly Finding[] {
  const found = findingOf('scopes');
  const wanted = scopeProbes().filter(({ scope }) => needed.length === 0 || needed.includes(scope));
  const those = (answer: ScopeAnswer) =>
    wanted.filter(({ scope }) => answers.get(scope) === answer);
  const unknown = those('unknown').map(({ scope }) => scope);
  const missing = those('no').map(({ scope, operations }) =>
    found('problem', 'SCOPE_MISSING', `the key lacks ${scope}: ${operations.join(', ')}`),
  );
  const { length } = those('yes');
  const present = found('ok', 'SCOPES_OK', `the key has ${length} scopes that a read can show`);
  const unchecked = found(
    'unknown',
    'SCOPES_UNKNOWN',
    `${unknown.length} scopes cannot be checked without a change: ${unknown.join(', ')}`,
  );
  return [...missing, ...(length > 0 ? [present] : []), ...(unknown.length > 0 ? [unchecked] : [])];
}
