import { badInput } from '../core/errors/index.ts';
import { type Connection, refuseClient } from '../core/http/index.ts';
import * as endpoints from '../endpoints.ts';
import { formatMoney } from '../money/index.ts';
import type { AccountLimits } from '../resources/accounts.ts';
import {
  addressFindingOf,
  clockFindingOf,
  endFindingOf,
  openProbe,
  type Probe,
} from './connection.ts';
import { type Finding, findingOf } from './finding.ts';
import {
  type DoctorProgress,
  isAnswered,
  readScopes,
  type ScopeAnswer,
  scopeFindings,
  scopeProbes,
  type ScopeReads,
} from './scopes.ts';
import { type DoctorWebhookOptions, webhookFindings } from './webhooks.ts';

/** What is checked; every member has a default. */
export interface DoctorOptions {
  /** Scopes that the credential must have; when absent, all scopes that a read can show. */
  readonly scopes?: readonly string[] | undefined;
  /** How webhooks are checked; `false`: not at all, for programs that read the event feed. */
  readonly webhooks?: DoctorWebhookOptions | false | undefined;
  /** Called before each scope is checked, and once after the last. */
  readonly onProgress?: ((progress: DoctorProgress) => void) | undefined;
  /** Ends the check early: the promise is rejected with your own reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What was found. It can be sent as JSON: no secret is in it. */
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
 * that hides all others, such as an address with `/v1`, a credential that is refused, or a rate limit
 * that is used up, and never waits for that limit longer than a second.
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
 * const { ok, findings } = await doctor(client, { scopes: ['partner.invoice.read'], webhooks: false });
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
