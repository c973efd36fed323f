import type { Page, SkipQuery } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodId,
  BankPaymentMethodFilter,
} from './model.ts';
import {
  BankPaymentMethodDraftSchema,
  BankPaymentMethodPageSchema,
  BankPaymentMethodSchema,
} from './schemas.ts';

/** POST /v1/payment-methods/bank @source documented */
export const create: Endpoint<{}, BankPaymentMethodDraft, BankPaymentMethod> = {
  operation: 'bankPaymentMethods.create',
  method: 'POST',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: BankPaymentMethodDraftSchema,
  output: BankPaymentMethodSchema,
  agrees: {
    exact: { transferType: 'transferType' },
    text: { accountNumber: 'accountNumber' },
  },
};

/** GET /v1/payment-methods/bank/{bankMethodId} @source documented */
export const get: Endpoint<{ bankMethodId: BankPaymentMethodId }, void, BankPaymentMethod> = {
  operation: 'bankPaymentMethods.get',
  method: 'GET',
  path: '/v1/payment-methods/bank/{bankMethodId}',
  scope: 'partner.payment-method.bank.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: BankPaymentMethodSchema,
  echo: { bankMethodId: 'id' },
};

/** GET /v1/payment-methods/bank @source documented */
export const list: Endpoint<BankPaymentMethodFilter & SkipQuery, void, Page<BankPaymentMethod>> = {
  operation: 'bankPaymentMethods.list',
  method: 'GET',
  path: '/v1/payment-methods/bank',
  scope: 'partner.payment-method.bank.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: BankPaymentMethodPageSchema,
  query: { top: '$top', skip: '$skip', supportedAction: '$supportedAction' },
};

/** DELETE /v1/payment-methods/bank/{bankMethodId} @source documented */
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
