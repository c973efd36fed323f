// Clients of one process: they have one clock and one `fetch`, as the counts of a process need it.
import { type ClientOptions, createClient, type Client } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';

type Options = Required<Pick<ClientOptions, 'clock' | 'fetch'>>;

/** A client of such a process, and the end of all that it does, as of a Worker's request that is over. */
export interface Tenant {
  readonly client: Client;
  /** Runs code of this client, whose timers and requests then are its own. */
  run<T>(code: () => T): T;
  /** From now on none of its timers rings, and no answer reaches it. */
  kill(): void;
  /** Requests that it has sent. */
  sent(): number;
}

/** Opens a process on the clock of this sandbox; the function that it returns makes its clients. */
export function openProcess(sandbox: Sandbox): () => Tenant {
  const { clientOptions } = sandbox;
  const base = clientOptions as typeof clientOptions & Options;
  const dead = new Set<number>();
  const sent: number[] = [];
  let running = -1; // what follows in the same turn belongs to the client whose code ran last
  const resume = (owner: number): boolean => {
    running = owner;
    return !dead.has(owner);
  };
  const clock: Options['clock'] = {
    ...sandbox.clock,
    after(ms, ring) {
      const owner = running;
      return sandbox.clock.after(ms, () => {
        if (resume(owner)) ring();
      });
    },
    async wait(ms, signal) {
      const owner = running;
      await sandbox.clock.wait(ms, signal);
      if (!resume(owner)) await new Promise(() => {});
    },
  };
  const fetch: Options['fetch'] = async (url, init) => {
    const owner = running;
    sent[owner] = (sent[owner] ?? 0) + 1;
    const answer = await base.fetch(url, init);
    if (!resume(owner)) await new Promise(() => {});
    return answer;
  };
  let count = 0;
  return () => {
    const owner = count++;
    const run: Tenant['run'] = (code) => {
      running = owner;
      return code();
    };
    const client = run(() => createClient({ ...base, clock, fetch }));
    return { client, run, kill: () => void dead.add(owner), sent: () => sent[owner] ?? 0 };
  };
}
