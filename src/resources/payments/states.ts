import { type Life, lifeOf } from '../state-machine.ts';

export const PAYMENT_STATES = ['PENDING', 'COMPLETED', 'FAILED'] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** A payment's life: while PENDING the sender has been charged; FAILED gives everything back. */
export const paymentLife: Life<PaymentState> = lifeOf<PaymentState>(
  { PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);
