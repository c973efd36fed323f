import { expect } from 'chai';
import { invalidate, type ReceiveRequest, watchReceives } from 'paystate';
import type { record, Shop } from './shop.ts';

type Logs = readonly ReturnType<typeof record<{ readonly freshness: string }>>[];

/** The last of those that wait for their first read says so, and has its turn at once when it has changed. */
export async function expectTurnOfChanged(
  { client, sandbox }: Shop,
  requests: readonly ReceiveRequest[],
  logs: Logs,
): Promise<void> {
  const waiting = logs.findLastIndex(({ values }) => values.length === 0);
  const { reason, nextReadAt } = watchReceives(client, requests[waiting]!).status();
  expect(reason).to.match(/^event feed, first read, waits for its turn/);
  expect(nextReadAt).to.be.above(sandbox.clock.now());
  invalidate(client, 'receiveRequest', requests[waiting]!.receiveRequestId);
  await sandbox.advance(500);
  expect(logs[waiting]!.values.length, 'what has changed goes first').to.be.above(0);
}
