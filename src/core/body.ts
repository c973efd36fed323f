/** Thrown when an answer is longer than the cap. */
export class TooLarge extends Error {}

/** Reads a body as text, counting while it arrives; the cap holds whatever the headers say. */
export async function readBody(response: Response, cap: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > cap) {
      reader.cancel().catch(() => {}); // nobody waits for the rest
      throw new TooLarge();
    }
    text += decoder.decode(value, { stream: true });
  }
}
