import type { Clock } from '../../core/time/index.ts';
import { CONTROL_PATH, controlAnswer, controlRefusal } from './control.ts';
import { looksReal } from './real-keys.ts';
import type { SandboxOptions } from './model.ts';
import type { DeliveryResult } from '../webhooks/transport.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Journal } from './journal.ts';
import { type HostedSandbox, openHostedSandbox } from './hosted-sandbox.ts';

/** A sandbox behind HTTP that its journal brings back after any end. */
export interface Host {
  /** Answers for the service, or below `/_sandbox/` for its control. */
  fetch(request: Request): Promise<Response>;
  /** Lets happen what is due. */
  wake(): Promise<void>;
}

export interface HostParts {
  readonly journal: Journal;
  readonly options: SandboxOptions;
  /** The machine's. */
  readonly clock: Clock;
  /** Brings a webhook to its receiver, in real time. */
  readonly deliver: (webhook: Webhook) => Promise<DeliveryResult>;
  /** `wake` is needed at this time of the machine; a later call takes the place of an earlier one. */
  readonly setAlarm: (at: number) => void;
}

/** What of a request is kept: a sandbox looks at no other header. */
const KEPT = ['authorization', 'content-type', 'idempotency-key', 'x-paystate-control'];

/** Wakes up with the first call. */
export function createHost({ journal, options, clock, deliver: carry, setAlarm }: HostParts): Host {
  let life: Promise<HostedSandbox> | undefined;
  let alarm: number | undefined;

  function arm(awake: HostedSandbox): void {
    const at = awake.wakeAt();
    if (at === undefined || at === alarm) return;
    alarm = at;
    setAlarm(at);
  }

  function awake(): Promise<HostedSandbox> {
    life ??= openHostedSandbox({
      journal,
      machine: clock,
      options,
      deliver: carry,
      onStep: () => void life?.then(arm),
    });
    life.catch(() => {
      life = undefined;
    }); // the next request tries again
    return life;
  }

  async function erase(): Promise<object> {
    (await awake()).end();
    journal.clear();
    life = alarm = undefined;
    await awake();
    return { erased: true };
  }

  return {
    async fetch(request) {
      const present = await awake();
      const { method, url } = request;
      const { pathname } = new URL(url);
      if (pathname.startsWith(CONTROL_PATH)) {
        const no = controlRefusal(request);
        if (no) return no;
        if (method === 'GET') return present.read(request);
        if (pathname === `${CONTROL_PATH}advance`)
          return controlAnswer(async () => ({
            now: await present.advance(durationOf(await request.text())),
          }));
        if (pathname === `${CONTROL_PATH}erase`) return controlAnswer(erase);
      }
      return present.handle({
        is: 'request',
        method,
        url,
        headers: keptOf(request.headers, present),
        body: keptBody(await request.text()),
      });
    },
    async wake() {
      alarm = undefined;
      await (await awake()).wake();
    },
  };
}

/** A key that looks real and is none of the sandbox's own is not kept; nor a client's secret, for no client of a served sandbox has one. */
function keptOf(headers: Headers, life: HostedSandbox): Record<string, string> {
  const kept = Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const { authorization = '' } = kept;
  if (/^Basic /i.test(authorization)) kept['authorization'] = 'Basic not-kept';
  if (looksReal(authorization) && !life.knowsKey(authorization.replace(/^Bearer +/i, '')))
    kept['authorization'] = 'Bearer not-kept';
  return kept;
}

function keptBody(text: string): string {
  return text.startsWith('{')
    ? text
    : text.replace(/\bclient_secret=[^&]*/g, 'client_secret=not-kept');
}

function durationOf(text: string): number {
  try {
    return (JSON.parse(text) as { duration: number }).duration;
  } catch {
    return Number.NaN;
  }
}
