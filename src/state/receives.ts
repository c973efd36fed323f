import { type CallOptions, type Connection, send } from '../core/http/index.ts';
import { countOf, type Page, PAGE } from '../core/lists/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/receive-requests/endpoints.ts';
import type {
  Receive,
  ReceiveRequest,
  ReceiveRequestId,
} from '../resources/receive-requests/model.ts';
import { receiveStates } from '../resources/receive-requests/states.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchEntity } from './watch-entity.ts';

/** All that came in for one request, the oldest first. */
export interface Receives {
  readonly receiveRequestId: string;
  readonly receives: readonly Receive[];
}

/** How receives are looked at: all of one request together. Receives only come and complete, so their steps can be counted. */
export const receivesKind: Kind<Receives> = {
  name: 'receive-request',
  life: { transitions: {}, rank: (steps) => +steps, isSettled: () => false, canMove: () => true },
  idOf: ({ receiveRequestId }) => receiveRequestId,
  stateOf: ({ receives }) =>
    `${receives.reduce((steps, { state }) => steps + 1 + (receiveStates.rank(state) ?? 0), 0)}`,
  async find(connection, receiveRequestId, options) {
    const found = new Map<string, Receive>();
    for (let skip = 0; ; ) {
      const page = await read(connection, receiveRequestId, skip, options);
      for (const receive of page.items) found.set(receive.receiveId, receive);
      skip += page.items.length;
      if (
        page.items.length === 0 ||
        skip >= (countOf(page) ?? (page.items.length < PAGE ? 0 : Infinity))
      )
        break;
    }
    return {
      receiveRequestId,
      receives: [...found.values()].sort((a, b) => (place(a) < place(b) ? -1 : 1)),
    };
  },
};

function read(
  connection: Connection,
  receiveRequestId: string,
  skip: number,
  options: CallOptions,
): Promise<Page<Receive>> {
  return send(
    connection,
    rows.listReceives,
    { where: { receiveRequestId, top: PAGE, ...(skip > 0 && { skip }) } },
    options,
  );
}

/** The service promises no order; ties are ordered by id, so that the same receives are the same value. */
function place({ created, receiveId }: Receive): string {
  return `${created} ${receiveId}`;
}

/**
 * Watches what comes in for a receive request: all its receives, and how fresh that is. Never completes by itself:
 * an address can be paid again. `GET /v1/receive-requests/{receiveRequestId}/receives` (seed).
 *
 * @param request the request or its id
 * @throws through `error`: RefusedError when the service refuses to show it, AuthenticationError when the credential is over
 * @example
 * const watch = watchReceives(client, request);
 * const stop = watch.subscribe(({ value }) => console.log(value.receives.map(({ state }) => state)));
 * stop();
 */
export function watchReceives(
  client: Connection,
  request: ReceiveRequest | ReceiveRequestId,
  options: WatchOptions = {},
): Watch<Snapshot<Receives>> {
  return watchEntity(
    client,
    receivesKind,
    typeof request === 'string' ? request : request?.receiveRequestId,
    options,
  );
}
