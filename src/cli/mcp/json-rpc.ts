import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';

/** A refusal in the words of JSON-RPC 2.0 (section 5.1). */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
export const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** Answers a request; what it returns for a notification goes nowhere. */
export type RpcHandler = (method: string, params: Record<string, unknown>) => unknown;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Serves JSON-RPC 2.0 with one message a line, until the input ends. */
export async function serveJsonRpc(
  input: Readable,
  output: Writable,
  handle: RpcHandler,
  signal: AbortSignal,
): Promise<void> {
  const write = (message: object): void =>
    void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const running = new Set<Promise<void>>();
  for await (const line of createInterface({ input, signal })) {
    if (line.trim() === '') continue;
    const done: Promise<void> = answer(line, handle, write).finally(() => running.delete(done));
    running.add(done);
  }
  await Promise.all(running);
}

async function answer(
  line: string,
  handle: RpcHandler,
  write: (message: object) => void,
): Promise<void> {
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    return write({ id: null, error: { code: PARSE_ERROR, message: 'this line is not JSON' } });
  }
  const { jsonrpc, id, method, params } = message ?? {};
  const isRequest = typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    if (method !== undefined || !isRequest)
      write({ id: null, error: { code: INVALID_REQUEST, message: 'this is no request' } });
    return;
  }
  try {
    const result = await handle(method, (params ?? {}) as Record<string, unknown>);
    if (isRequest) write({ id, result: result ?? {} });
  } catch (thrown) {
    const code = thrown instanceof RpcError ? thrown.code : INTERNAL_ERROR;
    const text = thrown instanceof Error ? thrown.message : 'it cannot go on';
    if (isRequest) write({ id, error: { code, message: text } });
  }
}
