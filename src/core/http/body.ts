/**
 * Reads a body as text, counting while it arrives; `undefined` when it is longer than the cap,
 * whatever the headers say.
 */
export async function readBody(
  message: Pick<Response, 'body'>,
  cap: number,
): Promise<string | undefined> {
  const reader = message.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  let last: Uint8Array | undefined; // most bodies are one piece: without `stream` it costs half
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode(last);
    size += value.byteLength;
    if (size > cap) {
      reader.cancel().catch(() => {}); // the rest is not needed
      return undefined;
    }
    if (last) text += decoder.decode(last, { stream: true });
    last = value;
  }
}
