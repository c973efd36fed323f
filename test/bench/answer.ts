// What all calls of the benchmarks get, and limits that they do not reach.
import { productionRateLimits, type RateLimits } from 'paystate';

export const ID = '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11';

export const draft = {
  amount: { amount: '42.50', currency: 'EUR' },
  correlationId: 'order-7781',
  description: 'Two concert tickets',
};
export const invoice = JSON.stringify({
  invoiceId: ID,
  ...draft,
  state: 'UNPAID',
  created: '2026-03-04T09:15:27.481259+00:00',
  issuerId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
  receiverId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
});
export const headers = { 'content-type': 'application/json; charset=utf-8' };

/** Limits that this run does not reach, so that nobody waits; what was sent is counted all the same. */
export const rateLimits = Object.fromEntries(
  Object.entries(productionRateLimits).map(([bucket, limit]) => [
    bucket,
    { ...limit, limit: 1e9, window: 50 },
  ]),
) as unknown as RateLimits;
