import { PartyDraftSchema, PartySchema } from '../parties/schemas.ts';
import {
  response,
  openText,
  type OpenText,
  pageOf,
  withRules,
  type SchemaOf,
  text,
  type WirePage,
} from '../shape.ts';
import type { PayoutOriginator, PayoutOriginatorDraft } from './model.ts';
import type { PayoutOriginatorState } from './states.ts';

export const PayoutOriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

export const PayoutOriginatorSchema: SchemaOf<PayoutOriginator> = response<PayoutOriginator>({
  id: text,
  state: PayoutOriginatorStateSchema,
  created: text,
  details: PartySchema,
});

export const PayoutOriginatorPageSchema: SchemaOf<WirePage<PayoutOriginator>> =
  pageOf(PayoutOriginatorSchema);

export const PayoutOriginatorDraftSchema: SchemaOf<PayoutOriginatorDraft> = withRules(
  PartyDraftSchema,
  ({ address }) => [!address && ['address', undefined]],
) as SchemaOf<PayoutOriginatorDraft>;
