import { badInput } from '../../core/errors/index.ts';
import type { Connection } from '../../core/http/index.ts';
import { parseMoney } from '../../money/index.ts';
import type { DepositFlowOptions, ExchangeOptions, PayOutOptions } from './move-model.ts';
import {
  checkOptions,
  DEFAULT_SLIP,
  fingerprintOf,
  type PayCommand,
  plainAmount,
  readIntent,
  readMaxFee,
  readShare,
  readText,
} from './order.ts';
import type { BankOrder, PayLimits } from './row.ts';

const READY_TIMEOUT = 60_000;

/** Reads what is to be exchanged; nothing is sent. Throws InputError. */
export function readExchange(client: Connection, options: ExchangeOptions): PayCommand {
  const { intent, sell, buy, amount, minReceived } = checkOptions(client, options);
  const { maxRateSlip = DEFAULT_SLIP } = options;
  if (!readText('sell', sell) || !readText('buy', buy) || sell === buy)
    throw badInput('buy', 'must be another currency than sell');
  const sum = parseMoney(amount);
  const { currency } = sum;
  if (currency !== sell && currency !== buy)
    throw badInput('amount.currency', 'must be what is sold or bought');
  const least = minReceived && parseMoney(minReceived);
  if (least && least.currency !== buy)
    throw badInput('minReceived', `must be in ${buy}, which is bought`);
  const feePolicy = readText('amount.feePolicy', amount.feePolicy) ?? 'EXCLUSIVE';
  return {
    intent: readIntent(intent),
    fingerprint: fingerprintOf(['exchange', sell, buy, plainAmount(amount), currency, feePolicy]),
    order: { rail: 'exchange', sell, buy, amount: { ...sum, feePolicy: amount.feePolicy } },
    limits: {
      maxFee: 'any',
      minReceived: least,
      maxRateSlip: readShare('maxRateSlip', maxRateSlip),
    },
  };
}

/** Reads what is to be drawn from a bank; nothing is sent. Throws InputError. */
export function readDeposit(client: Connection, options: DepositFlowOptions): PayCommand {
  const { bankPaymentMethodId, amount, feePolicy } = checkOptions(client, options);
  return readBank(options, {
    rail: 'deposit',
    bankPaymentMethodId,
    amount,
    feePolicy,
  });
}

/** Reads what is to be sent to a bank; nothing is sent. Throws InputError. */
export function readPayOut(client: Connection, options: PayOutOptions): PayCommand {
  const { bankPaymentMethodId, amount, feePolicy } = checkOptions(client, options);
  const { readyTimeout = READY_TIMEOUT } = options;
  if (!(readyTimeout >= 0)) throw badInput('readyTimeout', 'must be milliseconds');
  const order: BankOrder = {
    rail: 'payout',
    bankPaymentMethodId,
    amount,
    feePolicy,
    reference: readText('reference', options.reference),
    originatorId: readText('originatorId', options.originatorId),
  };
  return readBank(options, order, { readyTimeout });
}

function readBank(
  { intent, maxFee }: DepositFlowOptions,
  order: BankOrder,
  more: Partial<PayLimits> = {},
): PayCommand {
  const { rail, bankPaymentMethodId, amount, feePolicy = 'EXCLUSIVE' } = order;
  const { reference, originatorId } = order;
  if (typeof bankPaymentMethodId !== 'string' || bankPaymentMethodId === '')
    throw badInput('bankPaymentMethodId', 'must be the id of a bank payment method');
  readText('feePolicy', feePolicy);
  const plain = plainAmount({ amount, currency: 'USD' });
  const parts = [rail, bankPaymentMethodId, plain, feePolicy, reference, originatorId];
  return {
    intent: readIntent(intent),
    fingerprint: fingerprintOf(parts),
    order,
    limits: {
      maxFee: readMaxFee(maxFee, parseMoney),
      maxRateSlip: 'any',
      ...more,
    },
  };
}
