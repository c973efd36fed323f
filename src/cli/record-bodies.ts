import type { LogEntry, Sandbox } from '../sandbox/index.ts';

/** What a request and its response carried, as far as a page shows it. */
interface Bodies {
  readonly requestBody?: string;
  readonly responseBody?: string;
  /** The service's code for a refusal. */
  readonly code?: string;
}

/** Requests whose bodies are kept. */
const MOST = 200;
/** Characters of a body that are kept. */
const LONGEST = 4_000;
/** Bytes of a body that are read for it. */
const READ = 65_536;

const CUT = '…';

/**
 * A sandbox whose log has the bodies of the last requests, without secrets. Everything else is that
 * of the given one.
 */
export function recordBodies(sandbox: Sandbox): Sandbox {
  const bodies = new Map<number, Bodies>();
  const keep = (call: number, more: Bodies): void => {
    bodies.set(call, { ...bodies.get(call), ...more });
    bodies.delete(call - MOST);
  };
  const fetch: Sandbox['fetch'] = (input, init) => {
    const sent = requestBody(input, init);
    const place = sandbox.log.length;
    const answer = sandbox.fetch(input, init);
    const call = sandbox.log[place]?.call; // absent where the request was given up before it left
    if (call !== undefined) {
      void sent.then((text) => text && keep(call, { requestBody: show(text) })).catch(() => {});
      void answer
        .then(async (response) => keep(call, await responseBodies(response)))
        .catch(() => {});
    }
    return answer;
  };
  const log = (): readonly LogEntry[] => [
    ...sandbox.log.slice(0, -MOST),
    ...sandbox.log.slice(-MOST).map((entry) => ({ ...entry, ...bodies.get(entry.call) })),
  ];
  // by prototype: getters of the sandbox stay getters
  return Object.create(sandbox, { fetch: { value: fetch }, log: { get: log } }) as Sandbox;
}

async function requestBody(
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<string | undefined> {
  if (typeof init.body === 'string') return init.body;
  return input instanceof Request && input.body ? startOf(input.clone()) : undefined;
}

async function responseBodies(response: Response): Promise<Bodies> {
  const text = await startOf(response.clone());
  if (text === '') return {};
  const code = response.status < 400 ? undefined : codeIn(text);
  return { responseBody: show(text), ...(code !== undefined && { code }) };
}

/** The beginning of a body, however long it is or wherever it breaks off. */
async function startOf({ body }: Request | Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  try {
    for (let length = 0; reader && length < READ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
    void reader?.cancel().catch(() => {});
  } catch {
    // what came before the break is shown
  }
  return text;
}

function codeIn(text: string): string | undefined {
  try {
    const { data } = JSON.parse(text) as { readonly data?: { readonly code?: unknown } };
    return typeof data?.code === 'string' ? data.code : undefined;
  } catch {
    return undefined;
  }
}

const SECRETS =
  'secret|client_secret|clientSecret|apiKey|access_token|refresh_token|id_token|accountNumber|password';
const IN_JSON = new RegExp(`("(?:${SECRETS})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, 'g');
const IN_FORM = new RegExp(`(^|&)(${SECRETS}|code|code_verifier|token)=[^&]*`, 'g');

/** A text as a page shows it: without secrets, and not too long. */
function show(text: string): string {
  const open = /^\s*[{[]/.test(text)
    ? text.replace(IN_JSON, `$1"${CUT}"`)
    : text.replace(IN_FORM, `$1$2=${CUT}`);
  return open.length > LONGEST ? `${open.slice(0, LONGEST)}${CUT}` : open;
}
