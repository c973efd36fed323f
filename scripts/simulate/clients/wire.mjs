// A client whose requests and responses are noted, as they pass between it and the service.
import { createClient } from 'paystate';

/** `sent`: { at, method, path, status, until }. */
export const openClient = (sandbox, { address = '203.0.113.9' } = {}) => {
  const options = sandbox.clientOptionsFor({ address });
  const { clock } = sandbox;
  const sent = [];
  const client = createClient({
    ...options,
    async fetch(url, init) {
      const one = { at: clock.now(), method: init.method, path: new URL(url).pathname };
      sent.push(one);
      const response = await options.fetch(url, init);
      one.status = response.status;
      one.until = clock.now();
      return response;
    },
  });
  return { client, sent };
};
