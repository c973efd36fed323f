/** Most requests in any minute of the first ten, by how many invoices are watched. */
export const MOST_REQUESTS: readonly (readonly [watched: number, most: number])[] = [
  [1, 35],
  [200, 65],
  [1_000, 85],
];
