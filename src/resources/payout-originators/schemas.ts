import { PartyDraftSchema, PartySchema } from '../parties/schemas.ts';
import {
  answer,
  open,
  type OpenText,
  pageOf,
  ruled,
  type SchemaOf,
  text,
  type WirePage,
} from '../shape.ts';
import type { PayoutOriginator, PayoutOriginatorDraft } from './model.ts';
import type { PayoutOriginatorState } from './states.ts';

export const OriginatorStateSchema: OpenText<PayoutOriginatorState> = open();

export const OriginatorSchema: SchemaOf<PayoutOriginator> = answer<PayoutOriginator>({
  id: text,
  state: OriginatorStateSchema,
  created: text,
  details: PartySchema,
});

export const OriginatorPageSchema: SchemaOf<WirePage<PayoutOriginator>> = pageOf(OriginatorSchema);

export const OriginatorDraftSchema: SchemaOf<PayoutOriginatorDraft> = ruled(
  PartyDraftSchema,
  ({ address }) => [!address && ['address', undefined]],
) as SchemaOf<PayoutOriginatorDraft>;
