/** Longest body of an order, bytes. A product and a count are shorter. */
const LONGEST = 1_024;

/**
 * Returns a small JSON body, or nothing if it's longer or no JSON. It stops reading at the limit.
 */
export async function bodyOf(request: Request): Promise<unknown> {
  const reader = request.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > LONGEST) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
