import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { type Connection, checkClient } from '../core/http/index.ts';
import * as endpoints from '../endpoints.ts';
import { formatMoney, type Money } from '../money/index.ts';
import type { AccountLimits } from '../resources/accounts.ts';
import { reportDrift } from '../resources/drift.ts';
import {
  describeAddress,
  checkClock,
  describeEnd,
  type Finding,
  makeFinding,
  openProbe,
  type Probe,
} from './connection.ts';
import { driftFindings, readRest } from './drift.ts';
import {
  type DoctorProgress,
  isAnswered,
  readScopes,
  type ScopeAnswer,
  scopeProbes,
  type ScopeReads,
} from './scopes.ts';
import { type DoctorWebhookOptions, webhookFindings } from './webhooks.ts';

/** Options for the doctor. All of them have defaults. */
export interface DoctorOptions {
  /**
   * Scopes that the credential must have. Defaults to all scopes that can be checked with a read.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Options for the webhook check. Pass `false` to skip it if your program reads the event feed
   * instead.
   */
  readonly webhooks?: DoctorWebhookOptions | false | undefined;
  /**
   * Whether to compare the service with this SDK version. Reads every GET endpoint, using ids from
   * lists, and reports differences as problems. Sends up to 30 requests, including those for
   * scopes. Defaults to false.
   */
  readonly drift?: boolean | undefined;
  /** Called before each scope check, and once after the last one. */
  readonly onProgress?: ((progress: DoctorProgress) => void) | undefined;
  /** Signal that aborts the check. The promise rejects with your reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Report of the doctor. It contains no secrets, so you can send it as JSON. */
export interface DoctorReport {
  /** Whether there are no problems. */
  readonly ok: boolean;
  /** All findings in the order of the checks. */
  readonly findings: readonly Finding[];
  /** Result for each scope. If the doctor stopped early, unchecked scopes are absent. */
  readonly scopes: Readonly<Record<string, ScopeAnswer>>;
}

/**
 * Checks your URL, credential, clock, scopes, limits and webhooks. With `drift`, also checks
 * whether the service still matches this SDK version. The doctor only reads, at most once for each
 * of the thirteen scopes plus once for the subscriptions, or at most 30 times with `drift`. It
 * sends its reads one after another with low priority, and they count toward the client's rate
 * limits. It stops at the first finding that hides all others, such as a URL with `/v1`, a rejected
 * credential, or an exhausted rate limit. It never waits longer than a second for the rate limit.
 *
 * Webhook receivers get an unsigned request, and with `webhooks.secret` also a signed
 * `paystate.doctor` event. Pass `webhooks.askReceivers: false` to skip that.
 * @param client client to check, which may run in a Worker or a Durable Object
 * @param options options such as the required scopes
 * @returns a report whose `ok` is false if any finding is a problem
 * @throws InputError for invalid options, or the signal's reason. Problems with your setup are
 * findings, never errors
 *
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
  const { scopes: needed = [], webhooks = {}, drift = false, onProgress, signal } = options;
  const address = describeAddress(client);
  if (address.verdict === 'problem') return makeReport([address]);
  const reporter = drift ? reportDrift(() => {}) : undefined;
  const probe = openProbe(client, signal, reporter);
  const { answers, end } = await readScopes(probe, onProgress);
  const clock = checkClock(probe.ahead());
  const isKnown = isAnswered(answers);
  if (end) {
    const last = describeEnd(client, end, isKnown);
    const first = last.subject === 'address' ? [last, clock] : [address, last, clock];
    return makeReport(
      [...first, ...(reporter && isKnown ? driftFindings(probe, reporter, last) : [])],
      answers,
    );
  }
  const rest = reporter && (await readRest(probe, answers));
  const last = rest && describeEnd(client, rest, isKnown);
  const findings = [
    address,
    clock,
    credentialFinding(answers),
    ...scopeFindings(answers, needed),
    limitFinding(probe.result(endpoints.accounts.getLimits)?.value),
    ...(last ? [last] : []),
    ...(reporter ? driftFindings(probe, reporter, last) : []),
    ...(webhooks && !last ? await subscriptionFindings(client, probe, answers, webhooks) : []),
  ];
  return makeReport(findings, answers);
}

function makeReport(
  findings: readonly Finding[],
  answers: ScopeReads['answers'] = new Map(),
): DoctorReport {
  const ok = findings.every(({ verdict }) => verdict !== 'problem');
  return { ok, findings, scopes: Object.fromEntries(answers) };
}

const DOCTOR_OPTIONS: Expected<DoctorOptions> = {
  scopes: 'array',
  webhooks: 'any',
  drift: 'boolean',
  onProgress: 'function',
  signal: 'signal',
};

function checkDoctorOptions(client: Connection, options: DoctorOptions): void {
  checkClient(client);
  checkOptions(options, DOCTOR_OPTIONS);
  const { scopes = [], webhooks } = options;
  const known = scopeProbes().map(({ scope }) => scope);
  for (const [at, scope] of scopes.entries())
    if (!known.includes(scope)) throw badInput(`scopes[${at}]`, 'must be a scope of the service');
  const members: Expected<DoctorWebhookOptions> = {
    secret: 'string',
    askReceivers: 'boolean',
    deliver: 'function',
  };
  if (webhooks !== false) checkOptions(webhooks, members, 'webhooks.');
}

function credentialFinding(answers: ScopeReads['answers']): Finding {
  const found = makeFinding('credential');
  return isAnswered(answers)
    ? found('ok', 'KEY_OK', 'the service accepts the key')
    : found('unknown', 'KEY_UNKNOWN', 'no response showed whether the service accepts the key');
}

const LIMITS = ['deposit', 'achDeposit', 'send', 'withdrawal', 'instant'] as const;

function limitFinding(all: AccountLimits | undefined): Finding {
  const found = makeFinding('limits');
  if (!all) return found('unknown', 'LIMITS_UNKNOWN', "the account's limits could not be read");
  const left = LIMITS.flatMap((name) => {
    const effective = all[name]?.amount?.effective;
    return effective ? [`${name} ${amountText(effective)}`] : [];
  });
  const message =
    left.length > 0 ? `limits left: ${left.join(', ')}` : 'the service publishes no limits';
  return found('ok', 'LIMITS_OK', message);
}

/** Formats an amount, even if its currency is invalid. */
function amountText(value: Money): string {
  try {
    return formatMoney(value, { locale: 'en' });
  } catch {
    return `${value.amount} ${value.currency}`.slice(0, 64);
  }
}

async function subscriptionFindings(
  client: Connection,
  probe: Probe,
  answers: ScopeReads['answers'],
  options: DoctorWebhookOptions,
): Promise<readonly Finding[]> {
  const found = makeFinding('webhooks');
  const { list } = endpoints.subscriptions;
  const unchecked = (reason: string) => [
    found('unknown', 'WEBHOOK_UNKNOWN', `${reason}, so webhooks were not checked`),
  ];
  const answer = answers.get(list.scope);
  if (answer === 'no') return unchecked('the key is not allowed to read subscriptions');
  if (answer !== 'yes') return unchecked('the events could not be read');
  const { value: subscriptions, failed } = probe.result(list) ?? (await probe.read(list, {}));
  if (failed && ['refused', 'response', 'input'].includes(failed.error.kind))
    return unchecked(`the subscriptions could not be read (${failed.error.code})`);
  if (failed) return [describeEnd(client, failed, true)];
  const events = probe.result(endpoints.events.list)?.value?.items ?? [];
  return webhookFindings({ probe, subscriptions, events }, options);
}

/** Returns the findings about scopes. If `needed` is empty, reports all scopes. */
function scopeFindings(
  answers: ScopeReads['answers'],
  needed: readonly string[],
): readonly Finding[] {
  const found = makeFinding('scopes');
  const wanted = scopeProbes().filter(({ scope }) => needed.length === 0 || needed.includes(scope));
  const those = (answer: ScopeAnswer) =>
    wanted.filter(({ scope }) => answers.get(scope) === answer);
  const unknown = those('unknown').map(({ scope }) => scope);
  const missing = those('no').map(({ scope, operations }) =>
    found('problem', 'SCOPE_MISSING', `the key lacks ${scope}: ${operations.join(', ')}`),
  );
  const { length } = those('yes');
  const present = found(
    'ok',
    'SCOPES_OK',
    `the key has ${length} scopes that the doctor could check`,
  );
  const unchecked = found(
    'unknown',
    'SCOPES_UNKNOWN',
    `${unknown.length} scopes can't be checked without making changes: ${unknown.join(', ')}`,
  );
  return [...missing, ...(length > 0 ? [present] : []), ...(unknown.length > 0 ? [unchecked] : [])];
}
