/** Works through a list, so many at a time; ends with the first failure. */
export async function mapAtMost<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const workers = Array.from({ length: Math.min(most, items.length) }, async () => {
    for (let index = next++; index < items.length; index = next++)
      results[index] = await work(items[index]!, index);
  });
  await Promise.all(workers);
  return results;
}
