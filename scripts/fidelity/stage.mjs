// What a check works with: requests as a stranger sends them, things that are made when a fact needs them.
import { makers } from './makers.mjs';
import { requests } from './requests.mjs';
import { filled, withValues } from './json.mjs';
import { check } from './verdict.mjs';

const parsed = (text) => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
};

const defined = (headers) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

export function createStage(world) {
  const once = new Map();
  let key;
  const stage = {
    world,
    /** How many requests were sent. */
    count: 0,
    async keyOf(who) {
      return who ? world.keyOf(who) : (key ??= await world.keyOf());
    },
    /** Sends `METHOD /path`; `body` as JSON, or as it is where it is a text. */
    async ask(call, { body, headers, as, values = {}, query = '', address } = {}) {
      stage.count++;
      const [method, path] = call.split(' ');
      const authorization = as === null ? {} : { authorization: `Bearer ${await stage.keyOf(as)}` };
      const response = await world.send(
        filled(path, values) + query,
        {
          method,
          redirect: 'manual',
          headers: defined({
            ...authorization,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          }),
          ...(body !== undefined && {
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        },
        address,
      );
      const text = await response.text();
      const json = parsed(text);
      return { status: response.status, headers: response.headers, text, json, error: json?.data };
    },
    /** Sends one of the known requests, with members of its body changed. */
    async request(name, { set = {}, ...more } = {}) {
      const { call, body, values, headers } = requests[name];
      const draft = body && (await body(stage));
      return stage.ask(call, {
        body: draft && withValues(draft, set),
        values: values && (await values(stage)),
        ...more,
        headers: { ...(headers && headers(stage)), ...more.headers },
      });
    },
    /** The same, which must succeed: its JSON. */
    async json(name, more) {
      const { status, json, text } = await stage.request(name, more);
      check(status < 300, `${requests[name].call} to succeed`, `${status} ${text}`);
      return json;
    },
    /** What a request without a body answers; it must succeed. */
    async get(path, more) {
      const { status, json, text } = await stage.ask(`GET ${path}`, more);
      check(status === 200, `200 for GET ${path}`, `${status} ${text}`);
      return json;
    },
    /** A new thing. */
    make: (name) => makers[name](stage),
    /** A thing that facts only look at: made once a world, or once for each number. */
    thing(name, number = 1) {
      const key = `${name} ${number}`;
      if (!once.has(key)) once.set(key, makers[name](stage));
      return once.get(key);
    },
  };
  return stage;
}
