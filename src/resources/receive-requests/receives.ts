import { type CallOptions, type Connection, send } from '../../core/http/index.ts';
import { countOf, PAGE } from '../../core/lists/index.ts';
import type { StateMachine } from '../state-machine.ts';
import * as endpoints from './endpoints.ts';
import type { Receive, ReceiveRequestId, Receives } from './model.ts';

/**
 * Receives only come and complete, so the steps of all of them together can be counted, and the
 * count is their rank.
 */
export const receiveSteps: StateMachine<string> = {
  transitions: {},
  rank: (steps) => +steps,
  isSettled: () => false,
  canMove: () => true,
};

/**
 * Reads all receives of one request, page by page; one that moved between two pages counts once.
 */
export async function readReceives(
  connection: Connection,
  receiveRequestId: ReceiveRequestId,
  options: CallOptions,
): Promise<Receives> {
  const found = new Map<string, Receive>();
  for (let skip = 0; ; ) {
    const where = { receiveRequestId, top: PAGE, ...(skip > 0 && { skip }) };
    const page = await send(connection, endpoints.listReceives, { where }, options);
    for (const receive of page.items) found.set(receive.receiveId, receive);
    skip += page.items.length;
    const count = countOf(page) ?? (page.items.length < PAGE ? 0 : Infinity);
    if (page.items.length === 0 || skip >= count) break;
  }
  const receives = [...found.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  return { receiveRequestId, receives };
}

/**
 * The service promises no order; ties are ordered by id, so that the same receives are the same
 * value.
 */
function placeOf({ created, receiveId }: Receive): string {
  return `${created} ${receiveId}`;
}
