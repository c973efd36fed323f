// Invoices of our own making for the tests; the keys are worth nothing.
import type { Bolt11Draft } from 'paystate/lightning/signature';

export const KEY = '11'.repeat(32);
/** The public half of KEY. */
export const PAYEE = '034f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa';
export const NOW = 1_700_000_000;

export const TEA: Bolt11Draft = {
  network: 'regtest',
  amountMsat: '250000000',
  timestamp: NOW,
  description: 'One pot of tea',
  paymentHash: '22'.repeat(32),
  paymentSecret: '33'.repeat(32),
  expirySeconds: 120,
};

export const HOP = {
  node: `02${'44'.repeat(32)}`,
  channel: '700000x1234x65535',
  feeBaseMsat: '4294967295',
  feeMillionths: 100,
  cltvExpiryDelta: 144,
};

/** The rule that a refusal names, or nothing when there was none. */
export const ruleOf = (act: () => unknown): string | undefined => {
  try {
    act();
  } catch (error) {
    const { kind, validationErrors } = error as {
      kind?: string;
      validationErrors?: Record<string, { values?: { rule?: string } }[]>;
    };
    const [field = '?', issues] = Object.entries(validationErrors ?? {})[0] ?? [];
    return kind === 'input' ? (issues?.[0]?.values?.rule ?? field) : `untyped: ${String(error)}`;
  }
  return undefined;
};
