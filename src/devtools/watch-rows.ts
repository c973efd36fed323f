import type { Connection } from '../core/http/index.ts';
import { each, type WatchStatus } from '../core/watch.ts';
import type { Freshness } from '../state/index.ts';
import { knownOf } from '../state/known.ts';
import { hubOf } from '../state/watch-one.ts';

/** One watched resource of a client. */
export interface InspectedWatch {
  /** Such as `invoice`. */
  readonly resource: string;
  /** Id of the resource. */
  readonly id: string;
  /** As it was read last; absent before that, and where the resource has no states. */
  readonly state?: string | undefined;
  /** How far the value can be believed. */
  readonly freshness: Freshness;
  /** When it was so, milliseconds since 1970. */
  readonly asOf?: number | undefined;
  /** How many listen. */
  readonly observers: number;
  /** The plan, and when it is read next. */
  readonly status: WatchStatus;
}

/** What a client watches now. */
export function watchesOf(client: Connection, limit: number = Infinity): readonly InspectedWatch[] {
  const { hub } = hubOf(client);
  if (!hub) return [];
  const rows: InspectedWatch[] = [];
  for (const { type, id, held, snapshot, observers } of knownOf(client).watched.values()) {
    if (rows.length >= limit) break;
    rows.push({
      resource: type.name,
      id,
      state: type.states && held?.state,
      freshness: snapshot.freshness,
      asOf: snapshot.asOf,
      observers: each(observers).length,
      status: hub.status(type.name, id)!,
    });
  }
  return rows;
}
