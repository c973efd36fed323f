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

/** Schema of `PayoutOriginatorState`: texts that are new pass. */
export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

/** Schema of `PayoutOriginator`, as the service sends it: members that are new pass. */
export const PayoutOriginatorSchema: ObjectSchema<PayoutOriginator> = v.looseObject<
  EntriesOf<PayoutOriginator>
>({
  id: v.string(),
  state: PayoutOriginatorStateSchema,
  created: v.string(),
  details: PartySchema,
});

/** A page of a list of `PayoutOriginator`, as the service sends it. */
export const PayoutOriginatorPageSchema: ObjectSchema<WirePage<PayoutOriginator>> =
  pageOf(PayoutOriginatorSchema);

const draftEntries = (): EntriesOf<PayoutOriginatorDraft> => ({
  ...PartyDraftSchema.entries,
  address: AddressDraftSchema,
});

/** Schema of `PayoutOriginatorDraft`, which is sent: what the service bounds is checked. */
export const PayoutOriginatorDraftSchema: ObjectSchema<PayoutOriginatorDraft> = v.looseObject<
  EntriesOf<PayoutOriginatorDraft>
>(draftEntries());
