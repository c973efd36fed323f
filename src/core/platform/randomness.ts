/** A number from 0 up to 1, from the machine. Wrapped, so that nothing is held at import. */
export function systemRandom(): number {
  return Math.random();
}

/** Random bytes of cryptographic quality. */
export function systemBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * A random version 4 UUID; browsers offer it in secure contexts only, so it is built from bytes.
 */
export function systemUuid(): string {
  const bytes = systemBytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
