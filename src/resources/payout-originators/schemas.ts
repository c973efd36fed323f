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

export const OriginatorStateSchema: OpenText<PayoutOriginatorState> = openText();

export const OriginatorSchema: SchemaOf<PayoutOriginator> = response<PayoutOriginator>({
  id: text,
  state: OriginatorStateSchema,
  created: text,
  details: PartySchema,
});

export const OriginatorPageSchema: SchemaOf<WirePage<PayoutOriginator>> = pageOf(OriginatorSchema);

export const OriginatorDraftSchema: SchemaOf<PayoutOriginatorDraft> = withRules(
  PartyDraftSchema,
  ({ address }) => [!address && ['address', undefined]],
) as SchemaOf<PayoutOriginatorDraft>;
