import {
  type Connection,
  internals,
  type Slot,
  stateOf,
  type Tap,
  TAPS,
} from '../core/http/index.ts';
import { isolated } from '../core/watch.ts';
import type { Recording } from '../testing/recording.ts';
import { type InspectedRequest, RequestLog } from './request-log.ts';
import { type TimelineEntry, timelineOf } from './timeline.ts';
import { type InspectedWatch, watchesOf } from './watch-rows.ts';

/** What a client and its children do, from `inspectClient` on. */
export interface ClientInspection {
  /** The newest 500 requests, the oldest first; each attempt is one. */
  requests(): readonly InspectedRequest[];
  /** What is watched now; `limit`: at most so many. */
  watches(limit?: number): readonly InspectedWatch[];
  /** All that was seen of a resource, in the order of time. */
  timeline(id: string): readonly TimelineEntry[];
  /** The requests as a recording, for `replay` of `paystate/testing`. */
  recording(): Recording;
  /** Forgets the requests. */
  clear(): void;
  /** Calls at each change of the requests; returns what ends that. */
  subscribe(changed: () => void): () => void;
  /** Looks no longer. What was seen is kept for the next inspection of the client. */
  stop(): void;
}

/** What all inspections of a client share. */
interface Shared {
  readonly log: RequestLog;
  readonly listeners: Set<() => void>;
  readonly tap: Tap;
  users: number;
}

const LOG: Slot<Shared> = {
  name: 'devtools',
  make: (client) => openLog(new RequestLog(client[internals].clock)),
};

/**
 * Looks at a client: its requests with their answers, its watches, a timeline of one resource.
 * Credentials and secrets are cut before anything is kept. Nothing is sent.
 *
 * @param client a client, or a connection of `createConnection`; its children are looked at too
 * @example
 * const inspection = inspectClient(client);
 * console.log(inspection.requests().map(({ operation, reason, code }) => [operation, reason, code]));
 * inspection.stop();
 */
export function inspectClient(client: Connection): ClientInspection {
  const shared = stateOf(client, LOG);
  const taps = stateOf(client, TAPS);
  const { log, listeners, tap } = shared;
  const own = new Set<() => void>();
  let isOn = true;
  shared.users++;
  taps.add(tap);
  return {
    requests: () => log.rows,
    watches: (limit) => watchesOf(client, limit),
    timeline: (id) => timelineOf(log.rows, id),
    recording: () => log.recording(),
    clear: () => log.clear(),
    subscribe(changed) {
      const listener = (): void => changed();
      for (const all of [own, listeners]) all.add(listener);
      return () => void [own, listeners].map((all) => all.delete(listener));
    },
    stop() {
      for (const listener of own) listeners.delete(listener);
      if (isOn && --shared.users === 0) taps.delete(tap);
      isOn = false;
    },
  };
}

function openLog(log: RequestLog): Shared {
  const listeners = new Set<() => void>();
  log.changed = () => {
    for (const listener of listeners) isolated(listener);
  };
  const tap: Tap = {
    attempt: (...attempt) => log.add(...attempt),
    decide: (...decision) => log.addDecision(...decision),
  };
  return { log, listeners, tap, users: 0 };
}
