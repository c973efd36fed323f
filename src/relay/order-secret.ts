import type { Clock } from '../core/time.ts';
import { hexOf, systemBytes } from '../core/platform.ts';

/** Makes an order's secret, 128 random bits as text: given to the page once, with its order. */
export function generateOrderSecret(): string {
  return hexOf(systemBytes(16));
}

/** What is kept of an order secret. */
export async function secretHash(secret: string, clock: Clock): Promise<string> {
  const digest = await clock.external(
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)),
  );
  return hexOf(new Uint8Array(digest));
}
