import { buildSandbox } from './build.ts';
import { createVirtualClock, type VirtualClock } from '../time/clock.ts';
import { CONTROL_PATH, createControl } from './control.ts';
import type { DeliveryResult, DeliveryTransport } from '../webhooks/transport.ts';
import type { JournalEntry, Timed } from './journal.ts';
import type { SandboxOptions } from './model.ts';
import type { Webhook } from '../webhooks/webhook.ts';

/** A sandbox to which everything comes from outside, time too: the same entries make the same one. */
export interface Replay {
  readonly clock: VirtualClock;
  /** Moves time to an entry and does what it says; `answer` may need more time than that. */
  apply(entry: Timed<JournalEntry>): Promise<{ readonly answer: Promise<Response> | undefined }>;
  /** Answers a question about the sandbox, of which nothing changes. */
  read(request: Request): Promise<Response>;
  knowsKey(text: string): boolean;
}

/** Called for each webhook, by its number in the order of sending; the answer comes as an entry. */
export type Send = (number: number, webhook: Webhook) => void;

export function createReplay(options: SandboxOptions, start: number, send: Send): Replay {
  const clock = createVirtualClock(start);
  const waiting = new Map<number, (carried: DeliveryResult) => void>();
  let sent = 0;
  const transport: DeliveryTransport = {
    isSequential: false,
    send: (webhook) =>
      new Promise<DeliveryResult>((resolve) => {
        waiting.set(++sent, resolve);
        send(sent, webhook);
      }),
  };
  const { sandbox, knowsKey } = buildSandbox(options, clock, transport);
  const control = createControl(sandbox);

  function answered({
    method,
    url,
    headers,
    body,
  }: Extract<JournalEntry, { is: 'request' }>): Promise<Response> {
    const asked = { method, headers, ...(body !== '' && { body }) };
    const answer = new URL(url).pathname.startsWith(CONTROL_PATH)
      ? control(new Request(url, asked))
      : sandbox.fetch(url, asked);
    answer.catch(() => {}); // when nobody waits for it any more
    return answer;
  }

  return {
    clock,
    knowsKey,
    read: control,
    async apply(entry) {
      if (entry.at > clock.now()) await clock.advance(entry.at - clock.now());
      const answer = entry.is === 'request' ? answered(entry) : undefined;
      if (entry.is === 'carried') {
        waiting.get(entry.number)?.(entry.carried);
        waiting.delete(entry.number);
      }
      await clock.advance(0);
      return { answer };
    },
  };
}
