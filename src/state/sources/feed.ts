import { type Connection, shared } from '../../core/connection.ts';
import { isPaystateError, type PaystateError } from '../../core/errors.ts';
import { type Feed, feedOf } from '../../resources/events/feed.ts';
import { nounOf } from '../../resources/events/types.ts';

/** Failed polls in a row after which the feed counts as impossible. */
const PATIENCE = 3;
/** How fast the averages follow. */
const FOLLOW = 0.1;

/** The account's event feed as a source of hints, and what it costs. */
export interface FeedSource {
  /** No refusal is known and it has not failed too often. */
  possible(): boolean;
  /** One complete poll has come back since the start. */
  ready(): boolean;
  /** Requests of one poll, on average. */
  requests(): number;
  /** Polls once; hands on a hint for each event. Resolves to the trouble, if there was any. */
  poll(signal: AbortSignal, hint: (kind: string, id: string) => void): Promise<PaystateError | undefined>;
  /** Begins a new walk with the next poll. */
  restart(): void;
}

export function feedSource(client: Connection): FeedSource {
  const refused = shared(client, 'state.feed', () => ({ scope: false }));
  let walk: Feed | undefined;
  let ready = false;
  let requests = 1;
  let failures = 0;

  function restart(): void {
    walk = undefined;
    ready = false;
    failures = 0;
  }

  return {
    restart,
    possible: () => client.may.feed && !refused.scope && failures < PATIENCE,
    ready: () => ready,
    requests: () => requests,
    async poll(signal, hint) {
      walk ??= feedOf(client, undefined, signal);
      try {
        const step = await walk.poll();
        requests += FOLLOW * (step.requests - requests);
        failures = 0;
        ready ||= step.complete;
        for (const { eventType, data } of step.events) hint(nounOf(eventType), data.entityId);
        return undefined;
      } catch (thrown) {
        if (signal.aborted || !isPaystateError(thrown)) return undefined;
        failures++;
        refused.scope ||= thrown.status === 403; // remembered for this credential; never ends a watch
        return thrown;
      }
    },
  };
}
