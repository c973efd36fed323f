import type { RailName } from './row.ts';

/** How a rail is tried and given up. */
interface RailRules {
  /** After its end the quote is tried a few times more, to hear from the service that it has ended. */
  readonly hasProbes: boolean;
  /** A late copy of a request could move the money a second time beside another quote. */
  readonly isHeld: boolean;
}

const RULES: Readonly<Record<RailName, RailRules>> = {
  // the network settles one text once
  bolt11: { hasProbes: true, isHeld: false },
  lnurl: { hasProbes: true, isHeld: true },
  onchain: { hasProbes: true, isHeld: true },
  // it can be read whether it was executed
  exchange: { hasProbes: false, isHeld: true },
  // another round takes the same payout again, as long as it is NEW
  payout: { hasProbes: false, isHeld: false },
  // or the same key, as long as the service surely knows it
  deposit: { hasProbes: false, isHeld: true },
};

/** The rules of a rail. */
export function rulesOf(rail: RailName): RailRules {
  return RULES[rail];
}
