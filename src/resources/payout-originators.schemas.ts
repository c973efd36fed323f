import { PartyDraftSchema, PartySchema } from './parties.schemas.ts';
import type {
  PayoutOriginator,
  PayoutOriginatorDraft,
  PayoutOriginatorState,
} from './payout-originators.ts';
import {
  openText,
  type OpenText,
  pageOf,
  response,
  type SchemaOf,
  text,
  type WirePage,
  withRules,
} from './shape.ts';

/** Schema of `PayoutOriginatorState`: texts that are new pass. */
export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

/** Schema of `PayoutOriginator`, as the service sends it: members that are new pass. */
export const PayoutOriginatorSchema: SchemaOf<PayoutOriginator> = response<PayoutOriginator>({
  id: text,
  state: PayoutOriginatorStateSchema,
  created: text,
  details: PartySchema,
});

/** A page of a list of `PayoutOriginator`, as the service sends it. */
export const PayoutOriginatorPageSchema: SchemaOf<WirePage<PayoutOriginator>> =
  pageOf(PayoutOriginatorSchema);

/** Schema of `PayoutOriginatorDraft`, which is sent: what the service bounds is checked. */
export const PayoutOriginatorDraftSchema: SchemaOf<PayoutOriginatorDraft> = withRules(
  PartyDraftSchema,
  ({ address }) => [!address && ['address', undefined]],
) as SchemaOf<PayoutOriginatorDraft>;
