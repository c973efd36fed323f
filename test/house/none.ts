/** Fails with the whole list, one offender a line. */
export function expectNone(offenders: readonly unknown[]): void {
  if (offenders.length === 0) return;
  throw new Error(
    offenders.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
  );
}
