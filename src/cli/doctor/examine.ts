import { createClient } from '../../client.ts';
import type { PaystateError } from '../../core/errors/index.ts';
import { type Connection, request } from '../../core/http/index.ts';
import { systemUuid } from '../../core/platform.ts';
import { systemClock } from '../../core/time.ts';
import { formatMoney } from '../../money/index.ts';
import type { AccountLimits } from '../../resources/accounts.ts';
import type { AccountSettings } from '../account.ts';
import type { Terminal } from '../terminal.ts';
import { checkAddress } from './address.ts';
import { checkClock, createClockProbe } from './clock.ts';
import { type Finding, findingOf } from './finding.ts';
import { type Answer, probeScopes, scopeProbes } from './scopes.ts';
import { checkWebhooks } from './webhooks.ts';

/** What was found, and which scopes the key has. */
interface Examination {
  readonly findings: readonly Finding[];
  readonly scopes: ReadonlyMap<string, Answer>;
}

/** What is looked at. */
interface ExaminationOptions {
  /** Scopes that the key must have; all that reading can show where it is empty. */
  readonly needed: readonly string[];
  readonly webhooks: {
    readonly wanted: boolean;
    readonly secret: string | undefined;
    readonly asksReceivers: boolean;
  };
  readonly terminal: Terminal;
}

const credential = findingOf('credential');
const limits = findingOf('limits');

/** Looks at a set-up, until something is found that hides the rest. */
export async function examine(
  { baseUrl, apiKey, rateLimits }: AccountSettings,
  options: ExaminationOptions,
): Promise<Examination> {
  const address = checkAddress(baseUrl);
  const nothing = (...findings: readonly Finding[]): Examination => ({
    findings,
    scopes: new Map(),
  });
  if (baseUrl === undefined || address.verdict === 'problem') return nothing(address);
  if (apiKey === undefined)
    return nothing(
      address,
      credential('problem', 'KEY_MISSING', 'no key: set PAYSTATE_API_KEY or give --key-file'),
    );
  const probe = createClockProbe((url, init) => fetch(url, init), systemClock);
  const connection = createClient({
    baseUrl,
    apiKey,
    rateLimits,
    fetch: probe.fetch,
    maxAttempts: 1,
    queueTimeout: 1_000,
  });
  const progress = options.terminal.progress('scopes');
  const { answers: scopes, end } = await probeScopes(connection, progress);
  progress.end();
  const clock = checkClock(probe.ahead());
  const rest = end
    ? [...endFindings(address, end, scopes.size > 0), clock]
    : [
        address,
        clock,
        ...(await accountFindings({ connection, scopes, ahead: probe.ahead() ?? 0 }, options)),
      ];
  return { scopes, findings: rest };
}

/** What ended the examination. */
function endFindings(
  address: Finding,
  error: PaystateError,
  isAnswered: boolean,
): readonly Finding[] {
  if (error.status === 401)
    return [address, credential('problem', 'KEY_REFUSED', 'the service does not know this key')];
  if (error.kind !== 'limited') return [addressFinding(error, isAnswered)];
  const until =
    error.retryAt === undefined ? '' : `; until ${new Date(error.retryAt).toISOString()}`;
  return [
    address,
    limits(
      'problem',
      'BLOCKED',
      `this machine is blocked, after too many requests${until}: ask less often, or from one place`,
    ),
  ];
}

function addressFinding({ code, status, message }: PaystateError, isAnswered: boolean): Finding {
  const found = findingOf('address');
  if (isAnswered)
    return found('unknown', 'SERVICE_AWAY', `the service stopped answering: ${message}`);
  if (code !== 'NOT_FROM_SERVICE' && code !== 'REDIRECT')
    return found('problem', 'ADDRESS_UNREACHABLE', `nobody answers at this address: ${message}`);
  return found(
    'problem',
    'ADDRESS_NOT_SERVICE',
    `what answers at this address is not the service${status === undefined ? '' : ` (${status})`}`,
  );
}

interface Known {
  readonly connection: Connection;
  readonly scopes: Examination['scopes'];
  /** By so much this machine is ahead of the service, milliseconds. */
  readonly ahead: number;
}

async function accountFindings(
  { connection, scopes, ahead }: Known,
  { needed, webhooks: { wanted, ...webhooks } }: ExaminationOptions,
): Promise<readonly Finding[]> {
  const findings = [
    credential('ok', 'KEY_OK', 'the service knows the key'),
    ...scopeFindings(scopes, needed),
    await limitFinding(connection, scopes.get('partner.account.profile.read-own')),
  ];
  if (!wanted) return findings;
  if (scopes.get('partner.webhooks.manage') === 'yes')
    return [
      ...findings,
      ...(await checkWebhooks({
        connection,
        clock: systemClock,
        serviceNow: () => systemClock.now() - ahead,
        uuid: systemUuid,
        ...webhooks,
      })),
    ];
  const unknown = findingOf('webhooks')(
    'unknown',
    'WEBHOOK_UNKNOWN',
    'the key may not look at subscriptions, so nothing is known of webhooks',
  );
  return [...findings, unknown];
}

function scopeFindings(
  answers: Examination['scopes'],
  needed: readonly string[],
): readonly Finding[] {
  const found = findingOf('scopes');
  const wanted = scopeProbes.filter(({ scope }) => needed.length === 0 || needed.includes(scope));
  const those = (answer: Answer) => wanted.filter(({ scope }) => answers.get(scope) === answer);
  const unknown = those('unknown').map(({ scope }) => scope);
  return [
    ...those('no').map(({ scope, operations }) =>
      found('problem', 'SCOPE_MISSING', `the key lacks ${scope}: ${operations.join(', ')}`),
    ),
    ...(those('yes').length > 0
      ? [found('ok', 'SCOPES_OK', `the key has ${those('yes').length} scopes that reading shows`)]
      : []),
    ...(unknown.length > 0
      ? [
          found(
            'unknown',
            'SCOPES_UNKNOWN',
            `only a change would show ${unknown.length} scopes: ${unknown.join(', ')}`,
          ),
        ]
      : []),
  ];
}

async function limitFinding(connection: Connection, mayRead: Answer | undefined): Promise<Finding> {
  if (mayRead !== 'yes')
    return limits('unknown', 'LIMITS_UNKNOWN', 'the key may not read the limits of the account');
  const all = await request<AccountLimits>(connection, 'GET', '/v1/accounts/limits');
  const left = Object.entries(all).flatMap(([name, limit]) => {
    const { effective } = (limit as AccountLimits['send'])?.amount ?? {};
    return effective ? [`${name} ${formatMoney(effective, { locale: 'en' })}`] : [];
  });
  return limits('ok', 'LIMITS_OK', `left of the limits: ${left.join(', ') || 'none is published'}`);
}
