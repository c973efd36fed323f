import { anyOf, readCount, type Page, type Rows } from '../core/lists/index.ts';
import * as endpoints from '../endpoints.ts';
import type { Drift, DriftReporter } from '../resources/drift.ts';
import { eventTypes } from '../resources/events.types.ts';
import * as registry from '../resources/registry.ts';
import { isPlainId, type ResourceModule } from '../resources/resource.ts';
import {
  type FailedRead,
  type Finding,
  makeFinding,
  type Probe,
  type ReadEndpoint,
} from './connection.ts';
import { printable } from '../core/text.ts';
import {
  readAnswer,
  MAX_ROWS,
  needsId,
  NO_ID,
  readEndpoints,
  type ScopeReads,
  whereFor,
} from './scopes.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads the endpoints that the scope check hasn't read. Takes ids from lists and events. Returns
 * the failure if it had to stop.
 */
export async function readRest(
  probe: Probe,
  answers: ScopeReads['answers'],
): Promise<FailedRead | undefined> {
  for (const endpoint of readEndpoints()) {
    const hasId = needsId(endpoint);
    const result = probe.result(endpoint);
    const isRead = hasId ? result?.value !== undefined : result !== undefined;
    if (isRead || answers.get(endpoint.scope) === 'no') continue;
    const id = hasId ? await findId(endpoint, probe) : '';
    if (id === undefined) continue;
    const { failed } = await probe.read(endpoint, whereFor(endpoint, id));
    if (failed && !readAnswer(failed.error, true)) return failed;
  }
  return undefined;
}

async function findId(endpoint: ReadEndpoint, probe: Probe): Promise<string | undefined> {
  const { path, operation, echo = {} } = endpoint;
  const [noun = ''] = operation.split('.');
  const [, name = ''] = /\{(\w+)\}/.exec(path)!;
  const own = readEndpoints().filter((one) => one.operation.startsWith(`${noun}.`));
  const ids = own
    .flatMap((one) => rowsIn(probe.result(one)?.value))
    .map((row) => row[echo[name] ?? name]);
  if (noun === 'accounts')
    for (const { receiverId } of rowsIn(probe.result(endpoints.invoices.list)?.value))
      ids.push(receiverId);
  else if (!own.some((one) => one.operation === `${noun}.list`))
    ids.push(...(await findInEvents(noun, probe)));
  return ids.find(isId);
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && isPlainId(id);
}

/** Finds ids of a resource in the latest events, because the service has no list of it. */
async function findInEvents(noun: string, probe: Probe): Promise<readonly unknown[]> {
  const { list } = endpoints.events;
  const { resource } = new Map(Object.entries<ResourceModule>(registry)).get(noun)!;
  const types = Object.entries(eventTypes)
    .filter(([, name]) => name === resource.name)
    .map(([type]) => type);
  if (!probe.result(list)?.value) return [];
  const where = { ...whereFor(list, ''), filter: anyOf('eventType', types) };
  const { value } = await probe.read(list, where);
  return rowsIn(value).map(({ data }) => (data as Members)['entityId']);
}

function rowsIn(value: unknown): readonly Members[] {
  if (value === undefined) return [];
  return [(value as Page<Members>).items ?? value].flat() as readonly Members[];
}

const found = makeFinding('drift');

/**
 * Maximum number of reported changes. If the URL belonged to another service, there would be
 * thousands.
 */
const MAX_CHANGES = 50;

/**
 * Returns the findings about differences from this SDK version. `last` is the finding that ended
 * the reads early, if any.
 */
export function driftFindings(
  probe: Probe,
  reporter: DriftReporter,
  last: Finding | undefined,
): readonly Finding[] {
  const all = readEndpoints();
  const drifts = reporter.counts();
  const problems = [
    ...drifts.map((drift) => changeFinding(drift, all, probe)),
    ...all.flatMap((endpoint) => failureFindings(endpoint, probe, drifts)),
  ];
  const more = problems.length - MAX_CHANGES;
  const { length } = all.filter((endpoint) => probe.result(endpoint)?.value !== undefined);
  const isSame = problems.length === 0 && length > 0;
  return [
    ...problems.slice(0, MAX_CHANGES),
    ...(more > 0 ? [found('problem', 'DRIFT_BROKEN', `${more} more changes are not shown`)] : []),
    ...(isSame
      ? [found('ok', 'DRIFT_OK', `${length} responses match this version of the SDK`)]
      : []),
    ...unreadFindings(all, probe, last),
  ];
}

function changeFinding(
  { path, field, kind, text, id }: Drift,
  all: readonly ReadEndpoint[],
  probe: Probe,
): Finding {
  const endpoint = all.find((one) => one.path === path);
  const { value, failed } = (endpoint && probe.result(endpoint)) ?? {};
  const { unreadable } = Object((value as Partial<Page<unknown>>)?.items ?? value) as Rows<unknown>;
  const effect = unreadable
    ? 'The list returns this item under `unreadable`'
    : 'You get the response without this field';
  const isFailing = failed?.error.kind === 'response';
  const message = MEANINGS[kind](text, isFailing ? 'Your call fails' : effect);
  const code = kind.startsWith('unknown-') ? 'DRIFT_NEW' : 'DRIFT_BROKEN';
  const place = `${endpoint?.operation ?? path}: ${field}`;
  const named = isId(id) ? { id } : {};
  return {
    ...found('problem', code, `${place} ${message}${named.id ? ` (id ${named.id})` : ''}`),
    drift: { path, field: printable(field), kind, text: printable(text), ...named },
  };
}

/**
 * Messages for each kind of change. `text` is an example value, and `effect` describes how the
 * client treats the response.
 */
const MEANINGS: Readonly<Record<Drift['kind'], (text: string, effect: string) => string>> = {
  'unknown-field': () => "is a new field. It's passed through, and nothing breaks",
  'unknown-value': (text) => `has a new value, "${text}". Check your code that compares this field`,
  'unknown-code': (text) =>
    `is a new error code, "${text}". Check your code that compares error codes`,
  unreadable: (text, effect) =>
    text === 'is required' ? `is missing. ${effect}` : `${text}, but isn't. ${effect}`,
  'unreadable-time': (text) =>
    `is not a valid time. You get the original string, which looks like "${text}"`,
  'other-amount': (text) => `has a different amount than the request: ${text}. Check your books`,
  'other-text': (text) => `is formatted differently than the request, like "${text}"`,
  'broken-sum': (text) => `is not the sum of its parts: ${text}. Check your books`,
  'illegal-transition': (text) =>
    `changed from ${text}, which is unexpected. Check your code that handles this state`,
};

/** Returns the findings about unusable responses and pages with too many items. */
function failureFindings(
  endpoint: ReadEndpoint,
  probe: Probe,
  drifts: readonly Drift[],
): readonly Finding[] {
  const { path, operation } = endpoint;
  const { value, failed } = probe.result(endpoint) ?? {};
  if (failed) {
    const { error } = failed;
    const isKnown = error.code === 'RESPONSE_INVALID' && drifts.some((one) => one.path === path);
    if (isKnown || isUnread(failed) || !readAnswer(error, true)) return [];
    const facts = `${error.code}${error.status === undefined ? '' : `, status ${error.status}`}`;
    const text = `${operation}: the response is not usable (${facts}), so your calls fail`;
    return [found('problem', 'DRIFT_READ_FAILED', text)];
  }
  const page = Object(value) as Partial<Page<unknown>>;
  const rows = page.items?.length ?? 0;
  const most = Math.min(readCount(page) ?? MAX_ROWS, MAX_ROWS);
  if (rows <= most) return [];
  const text = `${operation}: a page has ${rows} items, but at most ${most} are allowed`;
  return [found('problem', 'DRIFT_BROKEN', `${text}. Your lists may repeat or miss items`)];
}

function isUnread({ error: { status, code }, where }: FailedRead): boolean {
  return status === 403 || (code === 'NOT_FOUND' && Object.values(where).includes(NO_ID));
}

/**
 * Returns the finding that lists the unchecked reads with the reason. If the check ended early,
 * it's a problem.
 */
function unreadFindings(
  all: readonly ReadEndpoint[],
  probe: Probe,
  last: Finding | undefined,
): readonly Finding[] {
  const missing = all.filter((endpoint) => {
    const { value, failed } = probe.result(endpoint) ?? {};
    return value === undefined && (!failed || isUnread(failed));
  });
  const refused = missing.filter(({ scope }) =>
    missing.some((one) => one.scope === scope && probe.result(one)?.failed?.error.status === 403),
  );
  const unread = missing.filter((endpoint) => !refused.includes(endpoint));
  const names = (some: readonly ReadEndpoint[]) => some.map((one) => one.operation).join(', ');
  const why = last ? 'The check ended before it could read' : 'The account has no data for';
  const message = [
    unread.length > 0 && `${why} ${names(unread)}`,
    refused.length > 0 && `The key is not allowed to call ${names(refused)}`,
  ]
    .filter((part) => part !== false)
    .join('. ');
  if (message === '') return [];
  return [found(last ? 'problem' : 'unknown', 'DRIFT_UNREAD', message)];
}
