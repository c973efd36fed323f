import { badInput } from '../errors/index.ts';

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';
const LONGEST = 40;

/**
 * The correlationId of an order: the same for the same order and attempt, and never the same for
 * others, at most 40 characters. It holds no amount: a changed price must collide, not make a
 * second payable invoice. Resolves to the text; nothing is sent.
 *
 * @param orderId your own name of the order; short plain names stay readable, others become a hash
 * @param attempt counts the invoices of one order, from 1; take the next one only when the last
 * reads CANCELLED
 * @throws InputError for an empty or ill-formed name, or an attempt that is no whole number from 1
 * @example
 * const correlationId = await correlationIdFor('order-7781');
 * const amount = { amount: '12.50', currency: 'EUR' };
 * const { invoice } = await client.invoices.ensure({ correlationId, amount });
 */
export async function correlationIdFor(orderId: string, attempt: number = 1): Promise<string> {
  if (typeof orderId !== 'string' || orderId === '' || /\p{Surrogate}/u.test(orderId))
    throw badInput('orderId', 'must be well-formed text');
  if (!Number.isSafeInteger(attempt) || attempt < 1 || attempt > 999)
    throw badInput('attempt', 'must be a whole number from 1 to 999');
  const suffix = attempt === 1 ? '' : `.${attempt}`;
  return (isPlain(orderId) ? orderId : `h-${await hashOf(orderId)}`) + suffix;
}

/** Can be used as it is: not what resembles another order's second attempt, or a hash. */
function isPlain(orderId: string): boolean {
  return (
    orderId.length <= LONGEST - 4 &&
    /^[\w.-]+$/.test(orderId) &&
    !/\.\d+$|^h-[a-z2-7]{26}$/i.test(orderId)
  );
}

/** 128 bits of SHA-256 in base32. */
async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
  );
  let [digits, rest, bits] = ['', 0, 0];
  for (const byte of bytes.subarray(0, 16)) {
    rest = ((rest << 8) | byte) & 0xfff; // at most four bits are left of before
    for (bits += 8; bits >= 5; ) digits += DIGITS[(rest >> (bits -= 5)) & 31]!;
  }
  return digits + DIGITS[(rest << (5 - bits)) & 31]!;
}
