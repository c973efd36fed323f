// The network between one device and the service. Troubles are put before it and taken away again; all requests are noted.

/** Milliseconds each way. */
const WAY = 50;

const KINDS = [
  [/^\/v1\/events$/, 'feed'],
  [/^\/v1\/[a-z-]+$/, 'list'],
];

const requestOf = (url, { method = 'GET' } = {}) => {
  const { pathname, search } = new URL(url);
  const kind = KINDS.find(([path]) => path.test(pathname))?.[1] ?? 'single';
  return { method, path: pathname, search, kind: method === 'GET' ? kind : 'command' };
};

/** Never answers; ends with its signal. */
export const silence = (signal) =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
  });

export const broken = () => new TypeError('the network is gone');

/**
 * `send` is the sandbox's own fetch. A trouble is a function of (request, send, signal): what it returns is the answer,
 * undefined: not concerned. `changed` hears of the end of each request.
 */
export const createNetwork = ({ sandbox, device, send }) => {
  const { clock } = sandbox;
  const troubles = new Set();
  const log = [];
  let flying = 0;

  const answered = async (request, url, init) => {
    const ask = () => send(url, init);
    for (const trouble of troubles) {
      const answer = trouble(request, ask, init?.signal ?? undefined);
      if (answer !== undefined) return answer;
    }
    return ask();
  };

  const carry = async (sent, url, init) => {
    const { signal } = init ?? {};
    await clock.wait(WAY, signal ?? undefined);
    signal?.throwIfAborted();
    const answer = await answered(sent.request, url, init);
    await clock.wait(WAY, signal ?? undefined);
    signal?.throwIfAborted();
    if (device.sleeps.some(({ to, from }) => to > sent.at && from <= clock.now())) {
      await device.awake();
      throw broken();
    }
    return answer;
  };

  return {
    log,
    flying: () => flying,
    trouble(act) {
      troubles.add(act);
      return () => void troubles.delete(act);
    },
    async fetch(url, init) {
      const sent = { at: clock.now(), request: requestOf(url, init), status: undefined };
      log.push(sent);
      flying++;
      try {
        const answer = await carry(sent, url, init);
        sent.status = answer.status;
        return answer;
      } finally {
        sent.until = clock.now();
        flying--;
      }
    },
    /** Requests sent in a span. */
    sentIn: (from, to) => log.filter(({ at }) => at >= from && at < to).length,
    /** Answers 429; a block that was put here excuses what was sent before its first answer came. */
    refusals(block) {
      const all = log.filter(({ status }) => status === 429);
      const first = block && all.find(({ until }) => until >= block.from);
      const isExcused = ({ at }) => first && at <= first.until && at <= block.to;
      return all.filter((one) => !isExcused(one)).length;
    },
  };
};
