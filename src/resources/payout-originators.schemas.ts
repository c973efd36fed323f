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

/** Validates `PartyType`. */
export const PartyTypeSchema: OpenText<'INDIVIDUAL' | 'COMPANY'> = openText();

/** Validates `Address` in responses. */
export const AddressSchema: ObjectSchema<Address> = v.looseObject<EntriesOf<Address>>({
  country: v.string(),
  state: maybe(v.string()),
  city: v.string(),
  postCode: v.string(),
  line1: v.string(),
});

/** Validates `Address` in requests, including the service's limits. */
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

/** Validates `Party` in responses. */
export const PartySchema: ObjectSchema<Party> = v.looseObject<EntriesOf<Party>>(
  makeParty(v.string(), AddressSchema, v.string()),
);

/** Validates `Party` in requests, including the service's limits. */
export const PartyDraftSchema: DraftSchema<Party> = v.strictObject<EntriesOf<Party>>(
  makeParty(v.string(), AddressDraftSchema, day),
);

/** Validates `PayoutOriginatorState`. */
export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

/** Validates `PayoutOriginator` in responses. */
export const PayoutOriginatorSchema: ObjectSchema<PayoutOriginator> = v.looseObject<
  EntriesOf<PayoutOriginator>
>({
  id: v.string(),
  state: PayoutOriginatorStateSchema,
  created: TimeSchema,
  details: PartySchema,
});

/** Validates a page of `PayoutOriginator`. */
export const PayoutOriginatorPageSchema: ObjectSchema<WirePage<PayoutOriginator>> =
  makePage(PayoutOriginatorSchema);

const draftEntries = (): EntriesOf<PayoutOriginatorDraft> => ({
  ...PartyDraftSchema.entries,
  address: AddressDraftSchema,
});

/** Validates `PayoutOriginatorDraft` in requests, including the service's limits. */
export const PayoutOriginatorDraftSchema: DraftSchema<PayoutOriginatorDraft> = v.strictObject<
  EntriesOf<PayoutOriginatorDraft>
>(draftEntries());
