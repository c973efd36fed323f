// Requests and responses as JSON: their bodies are bytes that a signature may be over.

/** A request or a response on its way to another process. */
export interface Wire {
  readonly headers: readonly (readonly [string, string])[];
  /** Base64; absent where there is none. */
  readonly body?: string | undefined;
}

/** Bodies have to be read whole. */
export async function wireOf(message: Request | Response): Promise<Wire> {
  const bytes = new Uint8Array(await message.arrayBuffer());
  return {
    headers: [...message.headers],
    ...(bytes.length > 0 && {
      body: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
    }),
  };
}

export function requestOf(url: string, method: string, { headers, body }: Wire): Request {
  const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return new Request(url, { ...init, ...(body !== undefined && { body: bytesOf(body) }) });
}

export function responseOf(status: number, { headers, body }: Wire): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return new Response(body === undefined ? null : bytesOf(body), init);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
