import type { Clock } from '../core/time.ts';
import { badInput, ResponseError, WebhookError } from '../core/errors/index.ts';

/**
 * A delivery whose body is at hand, for frameworks that read it themselves: the bytes exactly as
 * they came.
 */
export interface RawDelivery {
  /**
   * The bytes before any parser: the signature is over them, and a body written anew does not fit
   * it.
   */
  readonly body: Uint8Array;
  /** All headers, their names in any case; several values of one are joined by commas. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The body's bytes, read once and counted while they arrive. */
export async function readBytes(
  delivery: Request | RawDelivery,
  longest: number,
  clock: Clock | undefined,
): Promise<Uint8Array> {
  const bytes = isRequest(delivery)
    ? await readRequest(delivery, longest, clock)
    : rawBytes((delivery as Partial<RawDelivery> | undefined)?.body);
  if (bytes.byteLength > longest) throw tooLarge(longest);
  return bytes;
}

function isRequest(delivery: Request | RawDelivery): delivery is Request {
  return typeof (delivery as Partial<Request> | undefined)?.arrayBuffer === 'function';
}

function rawBytes(body: unknown): Uint8Array {
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw parsedBody(
    'the body must be the bytes as they came; hand on the Request, or turn the body parser off for this route',
  );
}

async function readRequest(
  request: Request,
  longest: number,
  clock: Clock | undefined,
): Promise<Uint8Array> {
  if (request.bodyUsed)
    throw parsedBody('the body has been read before; hand on the Request unread, or its bytes');
  const work = readStream(request, longest);
  return clock ? clock.external(work) : work;
}

async function readStream(request: Request, longest: number): Promise<Uint8Array> {
  if (Number.parseInt(request.headers.get('content-length') ?? '', 10) > longest)
    throw tooLarge(longest);
  if (!('body' in request)) return readBlob(request, longest);
  const reader = request.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > longest) {
      reader.cancel().catch(() => {});
      throw tooLarge(longest);
    }
    parts.push(value);
  }
  return joinParts(parts, size);
}

/**
 * In an engine whose requests have no stream the platform keeps the body, on disk where it is long;
 * only a short one is read into memory.
 */
async function readBlob(request: Request, longest: number): Promise<Uint8Array> {
  const blob = await request.blob();
  if (blob.size > longest) throw tooLarge(longest);
  return new Uint8Array(await blob.arrayBuffer());
}

function joinParts(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.byteLength;
  }
  return bytes;
}

/** A header's text, whichever way headers are given. */
export function headerOf({ headers }: Request | RawDelivery, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null)
    throw badInput('delivery', 'must include all of its headers');
  if (typeof (headers as Partial<Headers>).get === 'function')
    return (headers as Headers).get(name) ?? undefined;
  const found = Object.entries(headers).find(
    ([key]) => key.toLowerCase() === name.toLowerCase(),
  )?.[1] as string | readonly string[] | undefined;
  return typeof found === 'string' ? found : found?.join(', ');
}

function parsedBody(message: string): WebhookError {
  return new WebhookError(message, {
    code: 'BODY_ALREADY_READ',
    outcome: 'not-done',
    next: 'fix-input',
  });
}

function tooLarge(longest: number): ResponseError {
  return new ResponseError(`the body is longer than ${longest} bytes`, {
    code: 'BODY_TOO_LARGE',
    outcome: 'not-done',
    next: 'stop',
  });
}
