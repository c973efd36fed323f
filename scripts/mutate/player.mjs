// The parent's side of a worker: starts it, gives it tests, ends it when it hangs.
import { fork } from 'node:child_process';
import { once } from 'node:events';

const WORKER = new URL('worker.mjs', import.meta.url);

/** A process that plays one test at a time. `restart` gives it a mutant that is there from the first line on. */
export function createPlayer({ folder, places, files }) {
  let child;
  let about;

  async function restart({ place = 0, variant = 0 } = {}) {
    child?.kill('SIGKILL');
    child = fork(WORKER, [folder, places, place, variant, ...files].map(String), {
      stdio: 'ignore',
    });
    about = await Promise.race([
      once(child, 'message').then(([message]) => message),
      once(child, 'exit').then(() => ({ broken: 'ended while it was loaded', tests: [] })),
      after(300_000, { broken: 'never loaded', tests: [] }),
    ]);
    return about;
  }

  /** Plays one test; `{ failure }` where it failed, with `hung` where the process had to be ended. */
  async function run(task, limit) {
    if (!child?.connected) await restart();
    const answers = new AbortController();
    const { signal } = answers;
    const answered = (async () => {
      for (;;) {
        const [message] = await once(child, 'message', { signal });
        if (!message.begins) return message;
      }
    })();
    const died = once(child, 'exit', { signal }).then(() => ({ failure: 'the process ended' }));
    const late = after(limit, { failure: 'takes far longer', hung: true }, signal);
    for (const promise of [answered, died, late]) promise.catch(() => {});
    child.send(task);
    const outcome = await Promise.race([answered, died, late]);
    answers.abort();
    if (outcome.hung) child.kill('SIGKILL');
    return outcome;
  }

  return { restart, run, about: () => about, stop: () => child?.kill('SIGKILL') };
}

function after(milliseconds, value, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(value), milliseconds);
    signal?.addEventListener('abort', () => clearTimeout(timer));
    if (!signal) timer.unref();
  });
}
