import * as v from 'valibot';
import { AddressDraftSchema, PartyDraftSchema, PartySchema } from './parties.schemas.ts';
import type {
  PayoutOriginator,
  PayoutOriginatorDraft,
  PayoutOriginatorState,
} from './payout-originators.ts';
import {
  type EntriesOf,
  type ObjectSchema,
  type OpenText,
  openText,
  pageOf,
  type WirePage,
} from './wire.ts';

/** Reads `PayoutOriginatorState`; new texts pass. */
export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

/** Reads `PayoutOriginator` as the service sends it; new members pass. */
export const PayoutOriginatorSchema: ObjectSchema<PayoutOriginator> = v.looseObject<
  EntriesOf<PayoutOriginator>
>({
  id: v.string(),
  state: PayoutOriginatorStateSchema,
  created: v.string(),
  details: PartySchema,
});

/** Reads a page of a list of `PayoutOriginator` as the service sends it. */
export const PayoutOriginatorPageSchema: ObjectSchema<WirePage<PayoutOriginator>> =
  pageOf(PayoutOriginatorSchema);

const draftEntries = (): EntriesOf<PayoutOriginatorDraft> => ({
  ...PartyDraftSchema.entries,
  address: AddressDraftSchema,
});

/** Checks `PayoutOriginatorDraft` before it is sent, as far as the service limits it. */
export const PayoutOriginatorDraftSchema: ObjectSchema<PayoutOriginatorDraft> = v.looseObject<
  EntriesOf<PayoutOriginatorDraft>
>(draftEntries());
