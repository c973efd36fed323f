/** Longest body of an order, bytes: a product and a count are shorter. */
const LONGEST = 1_024;

/** A small JSON body; nothing where it is none, or longer: then it is not read on. */
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
