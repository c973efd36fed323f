import * as v from 'valibot';
import type { Address, Party } from './parties.ts';
import {
  atLeast,
  atMost,
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  type SchemaOf,
} from './wire.ts';

/** Schema of `PartyType`: texts that are new pass. */
export const PartyTypeSchema: OpenText<'INDIVIDUAL' | 'COMPANY'> = openText();

/** Schema of `Address`, as the service sends it: members that are new pass. */
export const AddressSchema: ObjectSchema<Address> = v.looseObject<EntriesOf<Address>>({
  country: v.string(),
  state: maybe(v.string()),
  city: v.string(),
  postCode: v.string(),
  line1: v.string(),
});

/** Schema of `Address`, which is sent: what the service bounds is checked. */
export const AddressDraftSchema: ObjectSchema<Address> = v.looseObject<EntriesOf<Address>>({
  country: v.pipe(v.string(), atLeast(2), atMost(2)),
  state: maybe(v.string()),
  city: v.string(),
  postCode: v.string(),
  line1: v.string(),
});

const day: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 1988-05-17'),
);

function partyOf(
  name: SchemaOf<string>,
  address: SchemaOf<Address>,
  dateOfBirth: SchemaOf<string>,
): EntriesOf<Party> {
  return {
    type: PartyTypeSchema,
    name,
    address: maybe(address),
    dateOfBirth: maybe(dateOfBirth),
    email: maybe(v.string()),
    phoneNumber: maybe(v.string()),
    url: maybe(v.string()),
  };
}

/** Schema of `Party`, as the service sends it: members that are new pass. */
export const PartySchema: ObjectSchema<Party> = v.looseObject<EntriesOf<Party>>(
  partyOf(v.string(), AddressSchema, v.string()),
);

/** Schema of `Party`, which is sent: what the service bounds is checked. */
export const PartyDraftSchema: ObjectSchema<Party> = v.looseObject<EntriesOf<Party>>(
  partyOf(v.pipe(v.string(), atLeast(1), atMost(100)), AddressDraftSchema, day),
);
