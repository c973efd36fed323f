import type { Clock } from '../../core/time/index.ts';
import { checkDuration } from '../time/clock.ts';
import type { DeliveryResult } from '../webhooks/transport.ts';
import type { Journal, JournalEntry, Timed } from './journal.ts';
import type { SandboxOptions } from './model.ts';
import { createReplay } from './replay.ts';
import type { Webhook } from '../webhooks/webhook.ts';

/** A sandbox that goes on in the machine's time, and that its journal brings back at any time. */
export interface HostedSandbox {
  /** Writes a request down, then answers it. Rejects where the connection is to break. */
  handle(asked: Extract<JournalEntry, { is: 'request' }>): Promise<Response>;
  /** Answers what changes nothing. */
  read(request: Request): Promise<Response>;
  /** Lets happen what is due by now. */
  wake(): Promise<void>;
  /** Moves time, and waits for the webhooks on the way; the time then. */
  advance(duration: number): Promise<number>;
  /** The machine's time at which `wake` is needed next. */
  wakeAt(): number | undefined;
  knowsKey(text: string): boolean;
  /** Nothing is written down from now on, and what waits for an answer gets none. */
  end(): void;
}

export interface HostedSandboxParts {
  readonly journal: Journal;
  /** The machine's. */
  readonly machine: Clock;
  readonly options: SandboxOptions;
  /** Brings a webhook to its receiver, in real time. */
  readonly deliver: (webhook: Webhook) => Promise<DeliveryResult>;
  /** Called after each step. */
  readonly onStep: () => void;
}

/** The journal with its beginning, which is written where there is none. */
function entriesOf(
  journal: Journal,
  seed: number | string,
  now: number,
): readonly Timed<JournalEntry>[] {
  if (journal.read().length === 0) journal.append({ is: 'start', seed, at: now, real: now });
  return journal.read();
}

/** The seed that it began with: another one in the options later changes nothing. */
function seedOf([first]: readonly Timed<JournalEntry>[]): number | string {
  return first?.is === 'start' ? first.seed : 1;
}

/** Begins a life, or takes it up where the journal ends. */
export async function openHostedSandbox({
  journal,
  machine,
  options,
  deliver: carry,
  onStep,
}: HostedSandboxParts): Promise<HostedSandbox> {
  const machineTime = (): number => Math.floor(machine.now());
  const entries = entriesOf(journal, options.seed ?? 1, machineTime());
  const { at: start } = entries[0]!;
  const known = new Set(entries.map((entry) => (entry.is === 'carried' ? entry.number : 0)));
  const open = new Set<Promise<void>>();
  const replay = createReplay({ ...options, seed: seedOf(entries) }, start, (number, webhook) => {
    if (known.has(number)) return;
    const done: Promise<void> = carry(webhook)
      .then((carried) =>
        over.signal.aborted ? undefined : step({ is: 'carried', number, carried }),
      )
      .then(() => void open.delete(done));
    open.add(done);
  });
  const { clock } = replay;
  const over = new AbortController();
  let ahead = 0;
  let line: Promise<unknown> = (async () => {
    for (const entry of entries) await replay.apply(entry);
  })();

  function inLine<T>(work: () => Promise<T>): Promise<T> {
    const done = line.then(work);
    line = done.catch(() => {});
    return machine.external(done);
  }

  /** One after the other; an answer that needs time is not waited for. */
  function step(
    entry: JournalEntry,
    latest = Infinity,
  ): Promise<{ readonly answer: Promise<Response> | undefined }> {
    return inLine(async () => {
      over.signal.throwIfAborted();
      const real = machineTime();
      const at = Math.max(clock.now(), Math.min(latest, real + ahead));
      journal.append({ ...entry, at, real });
      const applied = await replay.apply({ ...entry, at, real });
      onStep();
      return applied;
    });
  }

  async function wake(): Promise<void> {
    await clock.advance(Math.max(0, machineTime() + ahead - clock.now()));
    onStep();
  }

  await line;
  ahead = entries.reduce((most, { at, real }) => Math.max(most, at - real), 0);
  return {
    end: () => over.abort(),
    read: (request) =>
      inLine(async () => {
        await wake();
        return replay.read(request);
      }),
    knowsKey: replay.knowsKey,
    wakeAt: () => {
      const at = clock.nextAt();
      return at === undefined ? undefined : at - ahead;
    },
    handle: async (asked) => (await step(asked)).answer!,
    wake: () => inLine(wake),
    async advance(duration) {
      const target = Math.max(clock.now(), machineTime() + ahead) + checkDuration(duration);
      while (clock.now() < target) {
        const next = Math.min(target, clock.nextAt() ?? target);
        ahead = Math.max(ahead, next - machineTime());
        await step({ is: 'moved' }, next);
        while (open.size > 0) await Promise.all(open);
      }
      return clock.now();
    },
  };
}
