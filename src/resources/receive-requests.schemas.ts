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
  array,
  draft,
  maybe,
  openText,
  type OpenText,
  pageOf,
  response,
  type SchemaOf,
  text,
  type WirePage,
  withLength,
  withRules,
} from './shape.ts';

/** Schema of `ReceiveState`: texts that are new pass. */
export const ReceiveStateSchema: OpenText<ReceiveState> = openText();

/** Schema of the kind of a receive: texts that are new pass. */
export const ReceiveTypeSchema: OpenText<'LIGHTNING' | 'ONCHAIN' | 'P2P'> = openText();

/** Schema of `ReceiveRequest`, as the service sends it: members that are new pass. */
export const ReceiveRequestSchema: SchemaOf<ReceiveRequest> = response<ReceiveRequest>({
  receiveRequestId: text,
  created: text,
  targetCurrency: maybe(CurrencySchema),
  bolt11: maybe(
    response<ReceiveRequestBolt11>({
      invoice: text,
      requestedAmount: maybe(MoneySchema),
      btcAmount: maybe(DecimalSchema),
      description: maybe(text),
      descriptionHash: maybe(text),
      paymentHash: text,
      expires: text,
    }),
  ),
  onchain: maybe(
    response<ReceiveRequestOnchain>({
      address: text,
      addressUri: text,
      requestedAmount: maybe(MoneySchema),
      btcAmount: maybe(DecimalSchema),
    }),
  ),
});

/** A page of a list of `ReceiveRequest`, as the service sends it. */
export const ReceiveRequestPageSchema: SchemaOf<WirePage<ReceiveRequest>> =
  pageOf(ReceiveRequestSchema);

/** Schema of `Receive`, as the service sends it: members that are new pass. */
export const ReceiveSchema: SchemaOf<Receive> = response<Receive>({
  receiveId: text,
  receiveRequestId: text,
  type: ReceiveTypeSchema,
  state: ReceiveStateSchema,
  amountReceived: MoneySchema,
  amountCredited: maybe(MoneySchema),
  conversionRate: maybe(ConversionRateSchema),
  created: text,
  completed: maybe(text),
  lightning: maybe(
    response<ReceiveLightning>({
      invoice: text,
      preimage: text,
      paymentHash: text,
      description: maybe(text),
      descriptionHash: maybe(text),
    }),
  ),
  onchain: maybe(
    response<ReceiveOnchain>({
      address: text,
      transactionId: text,
      blockHeight: maybe(v.number()),
      numberOfConfirmations: maybe(v.number()),
    }),
  ),
  p2p: maybe(response<ReceiveP2p>({ payerAccountId: maybe(text) })),
});

/** Schema of `Receives`: what came in for one request. */
export const ReceivesSchema: SchemaOf<Receives> = response<Receives>({
  receiveRequestId: text,
  receives: array(ReceiveSchema),
});

/** A page of a list of `Receive`, as the service sends it. */
export const ReceivePageSchema: SchemaOf<WirePage<Receive>> = pageOf(ReceiveSchema);

/** Schema of `ReceiveRequestDraft`, which is sent: what the service bounds is checked. */
export const ReceiveRequestDraftSchema: SchemaOf<ReceiveRequestDraft> = withRules(
  draft<ReceiveRequestDraft>({
    bolt11: maybe(
      withRules(
        draft<ReceiveRequestBolt11Draft>({
          amount: maybe(MoneyDraftSchema),
          description: maybe(withLength(1, 250)),
          descriptionHash: maybe(HashSchema),
          expiryInSeconds: maybe(v.number()),
        }),
        ({ expiryInSeconds: seconds = 1 }) => [
          !(Number.isSafeInteger(seconds) && seconds > 0) && [
            'expiryInSeconds',
            'must be a whole number from 1',
          ],
        ],
      ),
    ),
    onchain: maybe(draft<ReceiveRequestOnchainDraft>({ amount: maybe(MoneyDraftSchema) })),
    targetCurrency: maybe(CurrencySchema),
  }),
  ({ bolt11, onchain }) => [!bolt11 && !onchain && ['bolt11', undefined]],
);
