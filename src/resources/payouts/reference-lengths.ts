/**
 * Most characters of a payout's reference by transfer type; `undefined` where the service publishes none.
 *
 * @example
 * longestReference('ACH'); // 10
 */
export function longestReference(transferType: string): number | undefined {
  return transferType === 'ACH'
    ? 10
    : transferType === 'US_DOMESTIC_WIRE'
      ? 15
      : transferType === 'SEPA'
        ? 128
        : transferType === 'FPS'
          ? 5
          : undefined;
}
