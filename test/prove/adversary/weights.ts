// Weights of the adversary's actions on a request that was drawn to go wrong.

/** Weights of what happens to a command that was drawn to go wrong. */
export const COMMANDS = {
  'lost-before': 5,
  'lost-after': 12,
  'late-answer': 7,
  'late-request': 7,
  twice: 3,
  'twice-second': 6,
  'twice-later': 4,
  'lost-and-later': 5,
  'gateway-before': 2,
  'gateway-after': 4,
  'code-before': 2,
  'code-after': 4,
  refused: 10,
  'under-way': 3,
  'portal-before': 4,
  'portal-after': 4,
  redirect: 2,
  cut: 3,
  truncated: 2,
  'id-only': 4,
  'id-stripped': 4,
  'mixed-before': 5,
  'mixed-after': 5,
  'mixed-there': 4,
  'foreign-before': 5,
  'foreign-after': 5,
  'older-own': 3,
};
/** The same of reads. */
export const READS = {
  'lost-after': 8,
  'gateway-before': 5,
  'code-before': 4,
  'not-found-page': 3,
  'portal-before': 6,
  redirect: 2,
  behind: 10,
  'mixed-after': 8,
  'foreign-after': 6,
  'older-own': 3,
  cut: 3,
  'late-answer': 4,
  refused: 4,
};

/** A request that goes right, or one of the faults. */
export type FaultName = 'none' | keyof typeof COMMANDS | keyof typeof READS;
