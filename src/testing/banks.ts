import { addMoney } from '../money/index.ts';
import { BankPaymentMethodSchema } from '../resources/bank-payment-methods.schemas.ts';
import type { BankPaymentMethod, SupportedAction } from '../resources/bank-payment-methods.ts';
import { DepositFeeSchema, DepositSchema } from '../resources/deposits.schemas.ts';
import type { Deposit, DepositFee } from '../resources/deposits.ts';
import { PayoutOriginatorSchema } from '../resources/payout-originators.schemas.ts';
import type { Address, Party, PayoutOriginator } from '../resources/payout-originators.ts';
import { PayoutSchema } from '../resources/payouts.schemas.ts';
import { type Payout, payoutStates } from '../resources/payouts.ts';
import { shapeOf } from '../resources/wire.ts';
import {
  after,
  brokenSum,
  feeOf,
  idOf,
  make,
  type MakeOptions,
  type Members,
  moneyOf,
  notYet,
  type Origin,
} from './make.ts';

const ADDRESS: Address = {
  country: 'DE',
  city: 'Berlin',
  postCode: '10115',
  line1: 'Invalidenstrasse 1',
};

const OWNER: Party = {
  type: 'INDIVIDUAL',
  name: 'Ada Example',
  dateOfBirth: '1990-01-01',
  address: ADDRESS,
};

type BankAccount = Pick<BankPaymentMethod, 'currency' | 'accountNumber' | 'routingNumber'> &
  Partial<BankPaymentMethod>;

const BOTH: readonly SupportedAction[] = ['DEPOSIT', 'WITHDRAWAL'];

/** An account for each way in which money travels, with what the service says of it. */
const ACCOUNTS: Readonly<Record<string, BankAccount>> = {
  ACH: {
    currency: 'USD',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    accountType: 'CHECKING',
    supportedActions: BOTH,
  },
  US_DOMESTIC_WIRE: {
    currency: 'USD',
    accountNumber: '000123456789',
    routingNumber: '110000000',
    supportedActions: ['WITHDRAWAL'],
  },
  SEPA: {
    currency: 'EUR',
    accountNumber: 'DE89370400440532013000',
    routingNumber: 'COBADEFFXXX',
    referenceCode: 'REF0000001',
    supportedActions: BOTH,
  },
  FPS: {
    currency: 'GBP',
    accountNumber: '31926819',
    routingNumber: '601613',
    referenceCode: 'REF0000001',
    supportedActions: BOTH,
  },
  BSB: {
    currency: 'AUD',
    accountNumber: '12345678',
    routingNumber: '062000',
    supportedActions: ['WITHDRAWAL'],
  },
};

const accountOf = (transferType: string): BankAccount | undefined =>
  Object.hasOwn(ACCOUNTS, transferType) ? ACCOUNTS[transferType] : undefined;

/**
 * Makes a bank payment method: PENDING, by SEPA; numbers and currency follow from the transfer
 * type.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a method cannot have
 * @example
 * const ready = makeBankPaymentMethod({ state: 'READY', transferType: 'FPS' });
 * console.log(ready.currency); // GBP
 */
export function makeBankPaymentMethod(
  members: Members<BankPaymentMethod> = {},
  options: MakeOptions = {},
): BankPaymentMethod {
  return make(
    {
      name: 'makeBankPaymentMethod',
      shape: shapeOf(BankPaymentMethodSchema),
      usual: usualMethod,
      broken: ({ transferType, currency }) => {
        const account = accountOf(transferType);
        return [
          account !== undefined &&
            account.currency !== currency && [
              'currency',
              `must be ${account.currency}: it follows from the transfer type`,
            ],
        ];
      },
    },
    members,
    options,
  );
}

function usualMethod(
  { transferType = 'SEPA', bankAddress }: Members<BankPaymentMethod>,
  { id, created }: Origin,
): BankPaymentMethod {
  return {
    id: id('bankPaymentMethod'),
    state: 'PENDING',
    supportedActions: BOTH,
    created,
    transferType,
    ...(accountOf(transferType) ?? ACCOUNTS['SEPA']!),
    beneficiaries: [OWNER],
    ...(bankAddress && { bankAddress: ADDRESS }),
  };
}

/**
 * Makes a payout originator: PENDING_REVIEW, a person with an address.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such an originator cannot have
 * @example
 * const approved = makePayoutOriginator({ state: 'APPROVED', details: { name: 'Ada Lovelace' } });
 */
export function makePayoutOriginator(
  members: Members<PayoutOriginator> = {},
  options: MakeOptions = {},
): PayoutOriginator {
  return make(
    {
      name: 'makePayoutOriginator',
      shape: shapeOf(PayoutOriginatorSchema),
      usual: ({ details }, { id, created }) => ({
        id: id('payoutOriginator'),
        state: 'PENDING_REVIEW',
        created,
        details: details?.type === 'COMPANY' ? { ...OWNER, dateOfBirth: undefined } : OWNER,
      }),
      broken: ({ details: { type, dateOfBirth } }) => [
        type === 'COMPANY' &&
          dateOfBirth !== undefined && ['details.dateOfBirth', 'must be absent: it is a company'],
      ],
    },
    members,
    options,
  );
}

/**
 * Makes a deposit: NEW, of 50.00 EUR; with a reason once it has FAILED.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @param options which one
 * @throws InputError naming the members that such a deposit cannot have
 * @example
 * const failed = makeDeposit({ state: 'FAILED' });
 */
export function makeDeposit(members: Members<Deposit> = {}, options: MakeOptions = {}): Deposit {
  return make(
    {
      name: 'makeDeposit',
      shape: shapeOf(DepositSchema),
      usual(chosen, { id }) {
        const { state = 'NEW' } = chosen;
        const { total, ...terms } = depositTerms(chosen);
        return {
          id: id('deposit'),
          ...terms,
          totalAmount: total,
          state,
          ...(state === 'FAILED' && { failureReason: 'DECLINED_BY_BANK' }),
        };
      },
      broken: (value) => [
        ...notYet(value, {
          NEW: ['failureReason'],
          PENDING: ['failureReason'],
          COMPLETED: ['failureReason'],
        }),
        brokenSum(['totalAmount', value.totalAmount], ['amount', value.amount], ['fee', value.fee]),
      ],
    },
    members,
    options,
  );
}

function depositTerms({
  amount,
  fee,
}: Members<Pick<DepositFee, 'amount' | 'fee'>>): Pick<DepositFee, 'amount' | 'fee' | 'total'> {
  const asked = moneyOf(amount, '50.00');
  const usualFee = feeOf(asked, '0.001');
  const cost = moneyOf(fee, usualFee.amount, usualFee.currency);
  const isSame = cost.currency === asked.currency;
  return { amount: asked, fee: cost, total: isSame ? addMoney(asked, cost) : asked };
}

/**
 * Makes the estimate of a deposit's fee: of 50.00 EUR, settled at once.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @throws InputError naming the members that such an estimate cannot have
 * @example
 * const estimate = makeDepositFee({ amount: { amount: '100.00' } });
 * console.log(estimate.total.amount); // '100.10'
 */
export function makeDepositFee(members: Members<DepositFee> = {}): DepositFee {
  return make(
    {
      name: 'makeDepositFee',
      shape: shapeOf(DepositFeeSchema),
      usual: (chosen) => ({ ...depositTerms(chosen), feePercent: '0.1', feeFixed: '0.00' }),
      broken: ({ amount, fee, total }) => [
        brokenSum(['total', total], ['amount', amount], ['fee', fee]),
      ],
    },
    members,
    {},
  );
}

/**
 * Makes a payout: NEW, of 25.00 EUR to the first bank payment method. Its times come with its
 * states.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a payout cannot have
 * @example
 * const sent = makePayout({ state: 'COMPLETED' });
 * console.log(sent.initiated, sent.completed); // 2026-01-05T09:00:01+00:00 2026-01-05T09:00:03+00:00
 */
export function makePayout(members: Members<Payout> = {}, options: MakeOptions = {}): Payout {
  return make(
    {
      name: 'makePayout',
      shape: shapeOf(PayoutSchema),
      usual: usualPayout,
      broken: (value) =>
        notYet(value, {
          NEW: ['initiated', 'completed', 'transactionId'],
          INITIATED: ['completed'],
        }),
    },
    members,
    options,
  );
}

function usualPayout(
  { state = 'NEW', amount, created, initiated, fee }: Members<Payout>,
  { index, created: now, id }: Origin,
): Payout {
  const asked = moneyOf(amount, '25.00');
  const begun = initiated ?? after(created ?? now, 1_000);
  const isBegun = (payoutStates.rank(state) ?? 0) > 0;
  const isDone = state === 'COMPLETED' || state === 'REVERSED';
  return {
    id: id('payout'),
    state,
    created: now,
    paymentMethodId: idOf('bankPaymentMethod'),
    amount: asked,
    fee: { ...moneyOf(fee, '0.35', asked.currency), feePolicy: 'EXCLUSIVE' },
    reference: `PO-${index}`,
    ...(isBegun && { initiated: begun, transactionId: id('payoutTransaction') }),
    ...(isDone && { completed: after(begun, 2_000) }),
  };
}
