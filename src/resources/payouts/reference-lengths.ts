/**
 * Most characters of a payout's reference by transfer type; a type that is absent has no published
 * length of its own.
 *
 * @example
 * payoutReferenceLengths['ACH']; // 10
 */
export const payoutReferenceLengths: Readonly<Record<string, number>> = {
  ACH: 10,
  US_DOMESTIC_WIRE: 15,
  SEPA: 128,
  FPS: 5,
};
