// The heap that is really used.

/** Bytes after everything that can go has gone. */
export const heapNow = async () => {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise((resolve) => void setTimeout(resolve, 5));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
};

/** Slope of equally distant values: the median of all slopes between two, which a single jump does not move. */
export const slopeOf = (values) => {
  const slopes = values.flatMap((value, n) =>
    values.slice(n + 1).map((later, more) => (later - value) / (more + 1)),
  );
  return slopes.toSorted((a, b) => a - b)[slopes.length >> 1];
};
