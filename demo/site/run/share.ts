// Packs a program into a link's fragment, and unpacks it. Browsers don't send fragments to servers.
// The program is compressed and encoded as base64url.

/** The maximum length of a shared program, in characters. */
export const MAX_SHARED = 20_000;

/** A program that a link contains. */
export interface Shared {
  readonly kind: 'module' | 'page';
  readonly code: string;
}

const PREFIX = 'run=';

const bytesOf = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(
    await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer(),
  );

const toLetters = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const fromLetters = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) =>
    letter.charCodeAt(0),
  );

/** Returns the fragment of a link that contains the program. */
export async function fragmentOf({ kind, code }: Shared): Promise<string> {
  const stream = new Blob([code]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return `#${PREFIX}${kind}.${toLetters(await bytesOf(stream))}`;
}

/** Decompresses a program. Throws a `RangeError` as soon as the program is too long. */
async function unfold(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = stream.getReader();
  let code = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    code += decoder.decode(part.value, { stream: true });
    if (code.length > MAX_SHARED) {
      void reader.cancel();
      throw new RangeError('The program in this link is too long.');
    }
  }
  return code + decoder.decode();
}

/** Returns the program in a fragment, or `undefined` without one. Rejects if it's damaged. */
export async function sharedIn(fragment: string): Promise<Shared | undefined> {
  const found = /^#run=(module|page)\.([\w-]+)$/.exec(fragment);
  if (!found) return undefined;
  return { kind: found[1] as Shared['kind'], code: await unfold(fromLetters(found[2]!)) };
}
