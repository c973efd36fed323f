import { hexOf } from '../core/platform/index.ts';

/** SHA-256 of a text, hex; `undefined` where the platform has none, as in pages without https. */
export async function hashOf(text: string): Promise<string | undefined> {
  try {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return hexOf(new Uint8Array(digest));
  } catch {
    return undefined;
  }
}
