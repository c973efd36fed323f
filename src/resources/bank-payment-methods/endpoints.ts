import type { Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodId,
  BankPaymentMethodQuery,
} from './model.ts';
import { BankMethodDraftSchema, BankMethodPageSchema, BankMethodSchema } from './schemas.ts';

/** @source documented */
export const create: Endpoint<{}, BankPaymentMethodDraft, BankPaymentMethod> = {
  operation: 'bankPaymentMethods.create',
  method: 'POST',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: BankMethodDraftSchema,
  output: BankMethodSchema,
};

/** @source documented */
export const get: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, BankPaymentMethod> = {
  operation: 'bankPaymentMethods.get',
  method: 'GET',
  path: '/v1/payment-methods/bank/{bankMethodId}',
  scope: 'partner.payment-method.bank.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: BankMethodSchema,
  echo: { bankMethodId: 'id' },
};

/** @source documented */
export const list: Endpoint<BankPaymentMethodQuery, void, Page<BankPaymentMethod>> = {
  operation: 'bankPaymentMethods.list',
  method: 'GET',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: BankMethodPageSchema,
  query: { top: '$top', skip: '$skip', supportedAction: '$supportedAction' },
};

/** @source documented */
export const remove: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, void> = {
  operation: 'bankPaymentMethods.remove',
  method: 'DELETE',
  path: '/v1/payment-methods/bank/{bankMethodId}',
  scope: 'partner.payment-method.bank.delete',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  original: { code: 'NOT_FOUND', id: 'bankMethodId', by: 'get' },
};
