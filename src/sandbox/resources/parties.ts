import type { Violation } from '../../core/errors/index.ts';
import type { Address, Party } from '../../resources/payout-originators.ts';

/** What the shapes let through and no bank takes. */
export function partyViolations(
  prefix: string,
  { type, dateOfBirth }: Party,
): readonly Violation[] {
  const wrong = (field: string, advice: string): Violation => ({
    field: prefix + field,
    code: 'INVALID_DATA_VALUE',
    advice,
  });
  return [
    ...(type === 'INDIVIDUAL' || type === 'COMPANY'
      ? []
      : [wrong('type', 'must be INDIVIDUAL or COMPANY')]),
    ...(type === 'COMPANY' && dateOfBirth !== undefined
      ? [wrong('dateOfBirth', 'is for individuals')]
      : []),
    ...(dateOfBirth !== undefined && !new Date(dateOfBirth).toJSON()?.startsWith(dateOfBirth)
      ? [wrong('dateOfBirth', 'must be a day of the calendar')]
      : []),
  ];
}

/** The members that a party has, in one order. */
export function showParty({
  type,
  name,
  dateOfBirth,
  email,
  phoneNumber,
  url,
  address,
}: Party): Party {
  return {
    type,
    name,
    ...(dateOfBirth !== undefined && { dateOfBirth }),
    ...(email !== undefined && { email }),
    ...(phoneNumber !== undefined && { phoneNumber }),
    ...(url !== undefined && { url }),
    ...(address && { address: showAddress(address) }),
  };
}

export function showAddress({ country, state, city, postCode, line1 }: Address): Address {
  return { country, ...(state !== undefined && { state }), city, postCode, line1 };
}
