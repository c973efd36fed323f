import type { Bucket } from '../../core/http/index.ts';
import type { BehaviourId } from '../provenance/behaviours.ts';
import type { Randomness } from '../world/randomness.ts';
import type { MovableClock } from '../time/clock.ts';
import { ticksOfMillis } from '../time/instants.ts';
import { type FaultAction, type Faults, memberOf } from '../faults/request-faults.ts';
import type { ReadOptions } from '../query/lists.ts';
import { applyRewrite } from '../faults/rewrite.ts';
import type { RouteMatch } from './routes.ts';
import type { Service } from './service.ts';
import {
  type ArrivedRequest,
  readRequest,
  connectionLost,
  responseOf,
  standIn,
  unlessAborted,
} from './wire.ts';
import type { OutgoingResponse } from '../world/outgoing.ts';

/** One request as the sandbox saw it. */
export interface LogEntry {
  /** Number of the request, from 1. */
  readonly call: number;
  /** Clock time of arrival, milliseconds since 1970. */
  readonly at: number;
  /** In upper case, such as `POST`. */
  readonly method: string;
  /** As sent, without its query. */
  readonly path: string;
  /** As sent, with its question mark; empty when there is none. */
  readonly query: string;
  /** Where it came from: rate limits are counted by it. */
  readonly address: string;
  /** What it counts towards. */
  readonly bucket: Bucket;
  /** The fault that was applied. */
  readonly fault?: FaultAction;
  /**
   * Ids of the behaviours that the response rests on, the riskiest first; absent where the service
   * gave none.
   */
  readonly behaviours?: readonly BehaviourId[];
  /** Absent while it is under way, and where there was no response. */
  readonly status?: number;
  /** What went wrong inside the sandbox, where it answered with a 500 of its own: please report it. */
  readonly failure?: string;
}

type WritableLogEntry = LogEntry & {
  status?: number;
  behaviours?: readonly BehaviourId[];
  failure?: string;
};

interface NetworkParts {
  readonly clock: MovableClock;
  readonly random: Randomness;
  readonly service: Service;
  readonly faults: Faults;
  /** Where a path alone leads to. */
  readonly origin: string;
}

export interface SandboxNetwork {
  readonly log: readonly LogEntry[];
  /** Sends from an address. */
  send(address: string, input: string | URL | Request, init?: RequestInit): Promise<Response>;
}

/**
 * The network between clients and the service: keeps the order of arrival, applies faults, writes
 * the log.
 */
export function createNetwork(parts: NetworkParts): SandboxNetwork {
  return new FaultyNetwork(parts);
}

class FaultyNetwork implements SandboxNetwork {
  readonly log: LogEntry[] = [];
  readonly #parts: NetworkParts;
  #lastBody: Promise<unknown> = Promise.resolve();

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  async send(
    address: string,
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> {
    const { clock, service, faults, origin } = this.#parts;
    const arrived = readRequest(input, init, origin, clock);
    const { method, url, signal, headers } = arrived;
    signal?.throwIfAborted();
    const destination = service.find(method, url.pathname);
    const fault = faults.draw(
      { method, path: url.pathname, account: () => service.accountOf(headers) },
      clock.now(),
    );
    const entry: WritableLogEntry = {
      call: this.log.length + 1,
      at: clock.now(),
      method,
      path: url.pathname,
      query: url.search,
      address,
      bucket: destination.bucket,
      ...(fault !== undefined && { fault }),
    };
    this.log.push(entry);
    return unlessAborted(signal, this.#deliver(arrived, destination, entry));
  }

  async #deliver(
    arrived: ArrivedRequest,
    destination: RouteMatch,
    entry: WritableLogEntry,
  ): Promise<Response> {
    const { clock, service, random } = this.#parts;
    const { fault, address } = entry;
    const late = memberOf(fault, 'delay');
    // bodies are read one after another, so that requests are handled in the order of their arrival
    const read = this.#lastBody.then(arrived.body);
    this.#lastBody = read.catch(() => {});
    const body = await read;
    if (fault === 'lost-before') throw connectionLost();
    if (late?.delay && !late.processed) await clock.wait(late.delay);
    const readOptions = this.#readOptionsFor(fault);
    const served = serveOrReplace(fault, () =>
      service.serve({ ...arrived, body, address, readOptions }, destination),
    );
    if (served.behaviours) entry.behaviours = served.behaviours;
    if (served.failure !== undefined) entry.failure = reportFailure(entry, served.failure);
    const rewriting = memberOf(fault, 'rewrite');
    const outgoing = rewriting
      ? applyRewrite(served, rewriting.rewrite, { row: destination.route?.row, random })
      : served;
    if (late?.delay && late.processed) await clock.wait(late.delay);
    if (fault === 'lost-after') throw connectionLost();
    entry.status = outgoing.status;
    return responseOf(outgoing, fault, clock);
  }

  #readOptionsFor(fault: FaultAction | undefined): ReadOptions | undefined {
    const { clock, random } = this.#parts;
    const stale = memberOf(fault, 'stale');
    const asOf = clock.now() - (stale?.stale ?? 0);
    if (stale) return { before: ticksOfMillis(asOf), asOf };
    return fault === 'unstable-ties'
      ? { rotateTiesBy: random.below(65_536, 'turn', random.next('turn')) }
      : undefined;
  }
}

/** Says on the console what went wrong inside the sandbox; what the log says of it. */
function reportFailure({ method, path }: LogEntry, failure: unknown): string {
  console.error(`paystate: the sandbox failed at ${method} ${path}:`, failure);
  return String(failure);
}

/** The service's response, unless a fault replaces it. */
function serveOrReplace(
  fault: FaultAction | undefined,
  serve: () => OutgoingResponse,
): OutgoingResponse {
  const instead = memberOf(fault, 'status');
  if (instead ? instead.processed : fault === 'duplicated-last') serve();
  if (instead) return standIn(instead);
  const outgoing = serve();
  if (fault === 'duplicated') serve();
  return outgoing;
}
