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
import type { Originator, OriginatorDraft } from './model.ts';
import type { OriginatorState } from './states.ts';

export const OriginatorStateSchema: OpenText<OriginatorState> = open();

export const OriginatorSchema: SchemaOf<Originator> = answer<Originator>({
  id: text,
  state: OriginatorStateSchema,
  created: text,
  details: PartySchema,
});

export const OriginatorPageSchema: SchemaOf<WirePage<Originator>> = pageOf(OriginatorSchema);

export const OriginatorDraftSchema: SchemaOf<OriginatorDraft> = ruled(
  PartyDraftSchema,
  ({ address }) => [!address && ['address', undefined]],
) as SchemaOf<OriginatorDraft>;
