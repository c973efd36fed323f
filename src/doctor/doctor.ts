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

/** Options of the doctor; every member has a default. */
export interface DoctorOptions {
  /** Scopes that the credential must have; when absent, all scopes that a read can show. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Options of the check of webhooks; `false`: not at all, for programs that read the event feed.
   */
  readonly webhooks?: DoctorWebhookOptions | false | undefined;
  /**
   * Reads every GET of the service, with ids from its lists, and reports what differs from this
   * version of the SDK as a problem; false. It takes at most 30 requests, those for scopes included.
   */
  readonly drift?: boolean | undefined;
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
 * Checks a set-up: address, credential, clock, scopes, limits, webhooks, and with `drift` whether
 * the service is still as this version of the SDK knows it. It reads and changes nothing: at most
 * one read for each scope (thirteen) and one of the subscriptions, with `drift` at most 30, one
 * after the other, counted in the client's rate limits with low priority. It stops at the first finding
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
    ? found('ok', 'KEY_OK', 'the service knows the key')
    : found('unknown', 'KEY_UNKNOWN', 'no response showed whether the service knows the key');
}

const LIMITS = ['deposit', 'achDeposit', 'send', 'withdrawal', 'instant'] as const;

function limitFinding(all: AccountLimits | undefined): Finding {
  const found = makeFinding('limits');
  if (!all)
    return found('unknown', 'LIMITS_UNKNOWN', 'the limits of the account could not be read');
  const left = LIMITS.flatMap((name) => {
    const effective = all[name]?.amount?.effective;
    return effective ? [`${name} ${amountText(effective)}`] : [];
  });
  const message =
    left.length > 0 ? `limits left: ${left.join(', ')}` : 'the service publishes no limits';
  return found('ok', 'LIMITS_OK', message);
}

/** Writes an amount, also with a currency that cannot be one. */
function amountText(value: Money): string {
  try {
    return formatMoney(value, { locale: 'en' });
  } catch {
    return `${value.amount} ${value.currency}`.slice(0, 64);
  }
}

/** Reads the subscriptions and checks them. */
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
  if (answer === 'no') return unchecked('the key may not read subscriptions');
  if (answer !== 'yes') return unchecked('the events could not be read');
  const { value: subscriptions, failed } = probe.result(list) ?? (await probe.read(list, {}));
  if (failed && ['refused', 'response', 'input'].includes(failed.error.kind))
    return unchecked(`the subscriptions could not be read (${failed.error.code})`);
  if (failed) return [describeEnd(client, failed, true)];
  const events = probe.result(endpoints.events.list)?.value?.items ?? [];
  return webhookFindings({ probe, subscriptions, events }, options);
}

/** The findings of the scopes that are needed; of all scopes where none is named. */
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
  const present = found('ok', 'SCOPES_OK', `the key has ${length} scopes that a read can show`);
  const unchecked = found(
    'unknown',
    'SCOPES_UNKNOWN',
    `${unknown.length} scopes cannot be checked without a change: ${unknown.join(', ')}`,
  );
  return [...missing, ...(length > 0 ? [present] : []), ...(unknown.length > 0 ? [unchecked] : [])];
}
