import * as v from 'valibot';
import {
  ConversionRateSchema,
  CurrencySchema,
  DecimalSchema,
  MoneyDraftSchema,
  MoneySchema,
} from './amounts.schemas.ts';
import { HashSchema } from './invoices.schemas.ts';
import type {
  Receive,
  ReceiveLightning,
  ReceiveOnchain,
  ReceiveP2p,
  ReceiveRequest,
  ReceiveRequestBolt11,
  ReceiveRequestBolt11Draft,
  ReceiveRequestDraft,
  ReceiveRequestOnchain,
  ReceiveRequestOnchainDraft,
  Receives,
  ReceiveState,
} from './receive-requests.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type DraftRules,
  draftRules,
  type WirePage,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `ReceiveState`. */
export const ReceiveStateSchema: OpenText<ReceiveState> = openText();

/** Validates a receive's type. */
export const ReceiveTypeSchema: OpenText<'LIGHTNING' | 'ONCHAIN' | 'P2P'> = openText();

/** Validates `ReceiveRequest` in responses. */
export const ReceiveRequestSchema: ObjectSchema<ReceiveRequest> = v.looseObject<
  EntriesOf<ReceiveRequest>
>({
  receiveRequestId: v.string(),
  created: TimeSchema,
  targetCurrency: maybe(CurrencySchema),
  bolt11: maybe(
    v.looseObject<EntriesOf<ReceiveRequestBolt11>>({
      invoice: v.string(),
      requestedAmount: maybe(MoneySchema),
      btcAmount: maybe(DecimalSchema),
      description: maybe(v.string()),
      descriptionHash: maybe(v.string()),
      paymentHash: v.string(),
      expires: TimeSchema,
    }),
  ),
  onchain: maybe(
    v.looseObject<EntriesOf<ReceiveRequestOnchain>>({
      address: v.string(),
      addressUri: v.string(),
      requestedAmount: maybe(MoneySchema),
      btcAmount: maybe(DecimalSchema),
    }),
  ),
});

/** Validates a page of `ReceiveRequest`. */
export const ReceiveRequestPageSchema: ObjectSchema<WirePage<ReceiveRequest>> =
  makePage(ReceiveRequestSchema);

/** Validates `Receive` in responses. */
export const ReceiveSchema: ObjectSchema<Receive> = v.looseObject<EntriesOf<Receive>>({
  receiveId: v.string(),
  receiveRequestId: v.string(),
  type: ReceiveTypeSchema,
  state: ReceiveStateSchema,
  amountReceived: MoneySchema,
  amountCredited: maybe(MoneySchema),
  conversionRate: maybe(ConversionRateSchema),
  created: TimeSchema,
  completed: maybe(TimeSchema),
  lightning: maybe(
    v.looseObject<EntriesOf<ReceiveLightning>>({
      invoice: v.string(),
      preimage: v.string(),
      paymentHash: v.string(),
      description: maybe(v.string()),
      descriptionHash: maybe(v.string()),
    }),
  ),
  onchain: maybe(
    v.looseObject<EntriesOf<ReceiveOnchain>>({
      address: v.string(),
      transactionId: v.string(),
      blockHeight: maybe(v.number()),
      numberOfConfirmations: maybe(v.number()),
    }),
  ),
  p2p: maybe(v.looseObject<EntriesOf<ReceiveP2p>>({ payerAccountId: maybe(v.string()) })),
});

/** Validates `Receives`, which contains all payments to a receive request. */
export const ReceivesSchema: ObjectSchema<Receives> = v.looseObject<EntriesOf<Receives>>({
  receiveRequestId: v.string(),
  receives: v.array(ReceiveSchema),
});

/** Validates a page of `Receive`. */
export const ReceivePageSchema: ObjectSchema<WirePage<Receive>> = makePage(ReceiveSchema);

const SECONDS = 'must be a whole number, 1 or more';

/** Validates `ReceiveRequestDraft` in requests, including the service's limits. */
export const ReceiveRequestDraftSchema: DraftSchema<ReceiveRequestDraft> = v.strictObject<
  EntriesOf<ReceiveRequestDraft>
>({
  bolt11: maybe(
    v.strictObject<EntriesOf<ReceiveRequestBolt11Draft>>({
      amount: maybe(MoneyDraftSchema),
      description: maybe(v.string()),
      descriptionHash: maybe(HashSchema),
      expiryInSeconds: maybe(v.pipe(v.number(), v.safeInteger(SECONDS), v.minValue(1, SECONDS))),
    }),
  ),
  onchain: maybe(
    v.strictObject<EntriesOf<ReceiveRequestOnchainDraft>>({ amount: maybe(MoneyDraftSchema) }),
  ),
  targetCurrency: maybe(CurrencySchema),
});

/** Cross-field rules for `ReceiveRequestDraft`. */
export const receiveRequestDraftRules: DraftRules<ReceiveRequestDraft> = draftRules(
  ({ bolt11, onchain }) => [!bolt11 && !onchain && ['bolt11']],
);
