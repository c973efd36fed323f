export * as events from './resources/events/endpoints.ts';
export * as invoices from './resources/invoices/endpoints.ts';
export * as paymentQuotes from './resources/payment-quotes/endpoints.ts';
export * as payments from './resources/payments/endpoints.ts';
export * as receiveRequests from './resources/receive-requests/endpoints.ts';
export * as subscriptions from './resources/subscriptions/endpoints.ts';
export type { AnyRow, Group, Repeat, Row, Shape } from './core/row.ts';
