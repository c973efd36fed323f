import type { Connection } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import type { Entries } from '../entries/entries.ts';
import type { Outage } from '../reads/outage.ts';
import type { CurrentPage } from '../sources/page.ts';
import type { Reader } from '../reads/reader.ts';
import type { FeedSource } from '../sources/feed.ts';
import type { RelaySource } from '../sources/relay.ts';
import type { WatchPlan } from '../sources/watch-plan.ts';

/** What plans and times of reads depend on: made once for a hub. */
export interface WatchContext {
  readonly client: Connection;
  /** Of this clock what is old by the wall clock is old too. */
  readonly clock: Clock;
  /** Aborts with the last watch. */
  readonly signal: AbortSignal;
  readonly page: CurrentPage;
  readonly entries: Entries;
  readonly outage: Outage;
  /** How changes are noticed now. */
  plan: WatchPlan;
  readonly reader: Reader;
  readonly feed: FeedSource;
  readonly relay: RelaySource | undefined;
  /** Shortest period of a watch and of the feed, milliseconds. */
  readonly base: number;
  /** Where the grid of this client lies, milliseconds. */
  readonly phase: number;
}
