import type { Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodId,
  BankPaymentMethodQuery,
} from './model.ts';
import { BankMethodDraftSchema, BankMethodPageSchema, BankMethodSchema } from './schemas.ts';

const ALL = '/v1/payment-methods/bank';
const ONE = '/v1/payment-methods/bank/{bankMethodId}';

/** @source seed */
export const create: Endpoint<{}, BankPaymentMethodDraft, BankPaymentMethod> = commanding(
  'POST',
  ALL,
  'partner.payment-method.bank.create',
  [201, 200],
  'none',
  BankMethodDraftSchema,
  BankMethodSchema,
);

/** @source seed */
export const get: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, BankPaymentMethod> =
  reading(ONE, 'partner.payment-method.bank.read', BankMethodSchema, {
    echo: { bankMethodId: 'id' },
  });

/** @source seed */
export const list: Endpoint<BankPaymentMethodQuery, void, Page<BankPaymentMethod>> = reading(
  ALL,
  'partner.payment-method.bank.read',
  BankMethodPageSchema,
  { query: { top: '$top', skip: '$skip', supportedAction: '$supportedAction' } },
);

/** @source seed */
export const remove: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, void> = commanding(
  'DELETE',
  ONE,
  'partner.payment-method.bank.delete',
  [204],
  'convergent',
  undefined,
  undefined,
  { original: { code: 'NOT_FOUND', id: 'bankMethodId', by: 'get' } },
);
