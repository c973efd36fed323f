import { buildSandbox } from './build.ts';
import { createVirtualClock, type VirtualClock } from '../time/clock.ts';
import { CONTROL_PATH, type Control, createControl } from './control.ts';
import type { DeliveryResult, DeliveryTransport } from '../webhooks/transport.ts';
import type { JournalEntry, Timed } from './journal.ts';
import type { LogEntry } from '../service/network.ts';
import type { Sandbox } from './model.ts';
import type { SandboxOptions } from './options.ts';
import type { Webhook } from '../webhooks/webhook.ts';

/**
 * A sandbox that gets everything from its journal, time too: the same entries make the same
 * sandbox.
 */
export interface Replay {
  readonly clock: VirtualClock;
  /** Moves time to an entry and applies it; `response` may need more time than that. */
  apply(entry: Timed<JournalEntry>): Promise<AppliedEntry>;
  /** Responds to a request that changes nothing. */
  read(request: Request): Promise<Response>;
  knowsKey(text: string): boolean;
  /** Puts a request into the log that is told of and was not made. */
  note(entry: LogEntry): void;
}

export interface AppliedEntry {
  /** Of a request; absent for every other entry. */
  readonly response: Promise<Response> | undefined;
  /** A request at which the sandbox itself has failed: it may be in any state now. */
  readonly failed: LogEntry | undefined;
}

/** Called for each webhook, by its number in the order of sending; the result comes as an entry. */
type SendWebhook = (number: number, webhook: Webhook) => void;

/** Makes of a sandbox the one that is asked and controlled. */
export type WrapSandbox = (sandbox: Sandbox) => Sandbox;

export function createReplay(
  options: SandboxOptions,
  start: number,
  send: SendWebhook,
  wrap: WrapSandbox = (sandbox) => sandbox,
): Replay {
  const clock = createVirtualClock(start);
  const waiting = new Map<number, (result: DeliveryResult) => void>();
  let sent = 0;
  const transport: DeliveryTransport = {
    isSequential: false,
    send: (webhook) =>
      new Promise<DeliveryResult>((resolve) => {
        waiting.set(++sent, resolve);
        send(sent, webhook);
      }),
  };
  const { sandbox: inner, knowsKey } = buildSandbox(options, clock, transport, true);
  const sandbox = wrap(inner);
  const control = createControl(sandbox);
  return {
    clock,
    knowsKey,
    read: control,
    note: (entry) => void (inner.log as LogEntry[]).push({ ...entry, call: inner.log.length + 1 }),
    async apply(entry) {
      const before = inner.log.length;
      if (entry.at > clock.now()) await clock.advance(entry.at - clock.now());
      const response = entry.is === 'request' ? respondTo(entry, sandbox, control) : undefined;
      if (entry.is === 'delivery') {
        waiting.get(entry.number)?.(entry.result);
        waiting.delete(entry.number);
      }
      await clock.advance(0);
      const failed = inner.log.slice(before).find(({ failure }) => failure !== undefined);
      return { response, failed };
    },
  };
}

function respondTo(
  { method, url, headers, body }: Extract<JournalEntry, { is: 'request' }>,
  sandbox: Sandbox,
  control: Control,
): Promise<Response> {
  const init = { method, headers, ...(body !== '' && { body }) };
  const response = new URL(url).pathname.startsWith(CONTROL_PATH)
    ? control(new Request(url, init))
    : sandbox.fetch(url, init);
  response.catch(() => {}); // the caller may have ended
  return response;
}
