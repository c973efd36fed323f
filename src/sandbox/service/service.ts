import { SERVICE_CODES } from '../../core/errors/index.ts';
import type { AnyRow } from '../../core/http/index.ts';
import { createProvenanceRules, recordQuery } from '../provenance/rules.ts';
import {
  draftOf,
  idempotencyKeyOf,
  type IncomingRequest,
  keyOf,
  knownKeyOf,
  queryOf,
} from './incoming.ts';
import { createLabels, type Settlement } from '../ledger/settlements.ts';
import type { Limiter } from './rate-limiter.ts';
import type { FilterLimits } from '../query/lists.ts';
import { BareStatus, envelopeOf, Refusal } from '../world/refusals.ts';
import { createReplica } from './replica.ts';
import { allRoutes, type RouteMatch, finderOf } from './routes.ts';
import { ledgerOf } from '../ledger/ledger.ts';
import { nextStateOf } from '../faults/state-rules.ts';
import { AssumptionError } from '../provenance/recorder.ts';
import type { World } from '../world/world.ts';
import { jsonResponse, type OutgoingResponse } from '../world/outgoing.ts';

export interface Service {
  find(method: string, path: string): RouteMatch;
  /** Handle of the account whose key it is. */
  accountOf(headers: Headers): string | undefined;
  /** From now on it is remembered what things looked like, for reads that are behind. */
  remember(): void;
  /** How often commands that carried this text have moved money to its end. */
  settlements(label: string): readonly Settlement[];
  /** Answers one request; everything happens before it returns. */
  serve(incoming: IncomingRequest, destination: RouteMatch): OutgoingResponse;
}

/** How a 429 says when its block ends: in whole seconds from now, or as an HTTP date. */
export type RetryAfterFormat = 'seconds' | 'date';

/** The login server: it shares the service's address, but not its router, keys and rate limits. */
export interface LoginResponder {
  /** Whether an address is the login server's. */
  owns(url: URL): boolean;
  /** Responds to what belongs to it; absent for everything else. */
  respond(incoming: IncomingRequest): OutgoingResponse | undefined;
}

export interface ServiceOptions {
  readonly filterLimits: FilterLimits;
  readonly retryAfterFormat: RetryAfterFormat;
  readonly login: LoginResponder;
}

export function createService(
  world: World,
  limiter: Limiter,
  { filterLimits: filterLimit, retryAfterFormat: retryAfter, login }: ServiceOptions,
): Service {
  const routes = allRoutes();
  const replica = createReplica(world, routes);
  const labels = createLabels(ledgerOf(world).postings);
  const groundsOf = createProvenanceRules();

  function reply(incoming: IncomingRequest, destination: RouteMatch): OutgoingResponse {
    const { method, url } = incoming;
    const line = `${method} ${url.pathname}${url.search} HTTP/1.1`;
    if (line.length > filterLimit.requestLineBytes) throw new BareStatus(414, 'requests.line');
    const { route, where } = destination;
    if (!route) throw new BareStatus(404, 'routes.unknown');
    requireService(world);
    const key = keyOf(world, incoming.headers);
    if (key.scopes && !key.scopes.has(route.row.scope)) throw new Refusal('FORBIDDEN');
    if (world.clock.now() < key.account.readyAt) throw new Refusal('ACCOUNT_NOT_READY');
    const asked = {
      account: key.account,
      where: {
        ...where,
        ...queryOf(route.row, url, filterLimit.comparisons),
        ...incoming.readOptions,
      },
      draft: draftOf(route.row, incoming),
      idempotencyKey: idempotencyKeyOf(incoming.headers),
    };
    if (method === 'GET') recordQuery(world, route.row, url.searchParams);
    const { status = route.row.statuses[0]!, body } = route.handle(world, asked);
    if (method !== 'GET') {
      labels.note([...Object.values(asked.draft ?? {}), asked.idempotencyKey], where, body);
      replica.wrote(key.account, body, where);
    }
    const asOf = method === 'GET' ? incoming.readOptions?.asOf : undefined;
    const shown = asOf === undefined ? body : replica.asOf(asOf, key.account, route, where, body);
    return shown === undefined ? { status, headers: {}, body: null } : jsonResponse(status, shown);
  }

  /** Notes what an answer rests on, by its row and code, and by what a refusal itself says. */
  function resting(row: AnyRow | undefined, act: () => OutgoingResponse): OutgoingResponse {
    const note = (code: string): void => {
      if (row) for (const id of groundsOf(row, code)) world.provenance.record(id);
    };
    let outgoing: OutgoingResponse;
    try {
      outgoing = act();
      note('ok');
    } catch (thrown) {
      if (
        (thrown instanceof Refusal || thrown instanceof BareStatus) &&
        thrown.behaviour !== undefined
      )
        world.provenance.record(thrown.behaviour);
      if (thrown instanceof Refusal) note(thrown.code);
      world.provenance.check();
      throw thrown;
    }
    world.provenance.check();
    return outgoing;
  }

  return {
    find: finderOf(routes),
    accountOf: (headers) => knownKeyOf(world, headers)?.account.handle,
    remember: () => replica.open(),
    settlements: (label) => labels.settlements(label),
    serve(incoming, destination) {
      const number = world.random.next('trace');
      const traceId = (): string => world.random.uuid('trace', number).replaceAll('-', ''); // most answers have none
      const blocked = login.owns(incoming.url)
        ? 0
        : limiter.admit(incoming.address, destination.bucket);
      const row = destination.route?.row;
      world.provenance.begin();
      const answer = attempt(
        () =>
          resting(row, () => {
            if (blocked > 0) throw new Refusal('RATE_LIMIT_EXCEEDED');
            return login.respond(incoming) ?? reply(incoming, destination);
          }),
        traceId,
      );
      const relied = world.provenance.end(row);
      const now = world.clock.now();
      const seconds = Math.ceil(blocked / 1_000);
      if (blocked > 0)
        answer.headers['retry-after'] =
          retryAfter === 'date' ? httpDate(now + blocked + 999) : `${seconds}`;
      answer.headers['date'] = httpDate(now);
      return { ...answer, behaviours: relied };
    },
  };
}

const THERE = { state: 'AVAILABLE', delay: 0 };

/** Refuses everything while somebody says that the service rests, or cannot. */
function requireService(world: World): void {
  const { state } = nextStateOf(world, 'service', THERE);
  if (state !== THERE.state)
    throw new Refusal(state === 'MAINTENANCE' ? 'MAINTENANCE_MODE' : 'SERVICE_UNAVAILABLE');
}

/** Whole seconds, rounded down. */
function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

function attempt(act: () => OutgoingResponse, traceId: () => string): OutgoingResponse {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof BareStatus) return { status: thrown.status, headers: {}, body: null };
    if (thrown instanceof Refusal) return refused(thrown, traceId);
    if (thrown instanceof AssumptionError) return unfounded(thrown, traceId());
    throw thrown;
  }
}

function refused(refusal: Refusal, traceId: () => string): OutgoingResponse {
  const status = SERVICE_CODES[refusal.code];
  return jsonResponse(status, envelopeOf(refusal, traceId(), status));
}

/** What strict mode does not allow: named, with what to do. */
function unfounded(
  { behaviour: { id, says } }: AssumptionError,
  traceId: string,
): OutgoingResponse {
  const values = {
    assumption: id,
    says,
    advice: `find out whether it is true, then allow it: strict: { allow: ['${id}'] }`,
  };
  return jsonResponse(422, envelopeOf({ code: 'SANDBOX_ASSUMPTION', values }, traceId, 422));
}
