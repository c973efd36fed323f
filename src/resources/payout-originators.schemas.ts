import * as v from 'valibot';
import type {
  Address,
  Party,
  PayoutOriginator,
  PayoutOriginatorDraft,
  PayoutOriginatorState,
} from './payout-originators.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type SchemaOf,
  type WirePage,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Reads `PartyType`; new texts pass. */
export const PartyTypeSchema: OpenText<'INDIVIDUAL' | 'COMPANY'> = openText();

/** Reads `Address` as the service sends it; new members pass. */
export const AddressSchema: ObjectSchema<Address> = v.looseObject<EntriesOf<Address>>({
  country: v.string(),
  state: maybe(v.string()),
  city: v.string(),
  postCode: v.string(),
  line1: v.string(),
});

/** Checks `Address` before it is sent, as far as the service limits it. */
export const AddressDraftSchema: DraftSchema<Address> = v.strictObject<EntriesOf<Address>>({
  country: v.string(),
  state: maybe(v.string()),
  city: v.string(),
  postCode: v.string(),
  line1: v.string(),
});

const day: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a date such as 1988-05-17'),
);

function makeParty(
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

/** Reads `Party` as the service sends it; new members pass. */
export const PartySchema: ObjectSchema<Party> = v.looseObject<EntriesOf<Party>>(
  makeParty(v.string(), AddressSchema, v.string()),
);

/** Checks `Party` before it is sent, as far as the service limits it. */
export const PartyDraftSchema: DraftSchema<Party> = v.strictObject<EntriesOf<Party>>(
  makeParty(v.string(), AddressDraftSchema, day),
);

/** Reads `PayoutOriginatorState`; new texts pass. */
export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

/** Reads `PayoutOriginator` as the service sends it; new members pass. */
export const PayoutOriginatorSchema: ObjectSchema<PayoutOriginator> = v.looseObject<
  EntriesOf<PayoutOriginator>
>({
  id: v.string(),
  state: PayoutOriginatorStateSchema,
  created: TimeSchema,
  details: PartySchema,
});

/** Reads a page of a list of `PayoutOriginator` as the service sends it. */
export const PayoutOriginatorPageSchema: ObjectSchema<WirePage<PayoutOriginator>> =
  makePage(PayoutOriginatorSchema);

const draftEntries = (): EntriesOf<PayoutOriginatorDraft> => ({
  ...PartyDraftSchema.entries,
  address: AddressDraftSchema,
});

/** Checks `PayoutOriginatorDraft` before it is sent, as far as the service limits it. */
export const PayoutOriginatorDraftSchema: DraftSchema<PayoutOriginatorDraft> = v.strictObject<
  EntriesOf<PayoutOriginatorDraft>
>(draftEntries());
