/** Waits until it holds; fails after a minute, for the machine may be busy. */
export async function until<T>(what: string, holds: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const start = performance.now(); performance.now() - start < 60_000; ) {
    const value = await holds();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting for ${what}`);
}
