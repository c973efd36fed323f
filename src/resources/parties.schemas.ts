import type { Address, Party } from './parties.ts';
import {
  draft,
  type EntriesOf,
  maybe,
  type MemberOf,
  openText,
  type OpenText,
  response,
  type SchemaOf,
  text,
  withLength,
  withPattern,
} from './shape.ts';

/** Schema of `PartyType`: texts that are new pass. */
export const PartyTypeSchema: OpenText<'INDIVIDUAL' | 'COMPANY'> = openText();

/** Schema of `Address`, as the service sends it: members that are new pass. */
export const AddressSchema: SchemaOf<Address> = response<Address>({
  country: text,
  state: maybe(text),
  city: text,
  postCode: text,
  line1: text,
});

/** Schema of `Address`, which is sent: what the service bounds is checked. */
export const AddressDraftSchema: SchemaOf<Address> = draft<Address>({
  country: withLength(2, 2),
  state: maybe(text),
  city: text,
  postCode: text,
  line1: text,
});

const day: SchemaOf<string> = withPattern(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 1988-05-17');

function partyOf(
  name: MemberOf<string>,
  address: SchemaOf<Address>,
  dateOfBirth: MemberOf<string>,
): EntriesOf<Party> {
  return {
    type: PartyTypeSchema,
    name,
    address: maybe(address),
    dateOfBirth: maybe(dateOfBirth),
    email: maybe(text),
    phoneNumber: maybe(text),
    url: maybe(text),
  };
}

/** Schema of `Party`, as the service sends it: members that are new pass. */
export const PartySchema: SchemaOf<Party> = response<Party>(partyOf(text, AddressSchema, text));

/** Schema of `Party`, which is sent: what the service bounds is checked. */
export const PartyDraftSchema: SchemaOf<Party> = draft<Party>(
  partyOf(withLength(1, 100), AddressDraftSchema, day),
);
