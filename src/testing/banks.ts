import { BankPaymentMethodSchema } from '../resources/bank-payment-methods.schemas.ts';
import type {
  BankPaymentMethod,
  SupportedAction,
  TransferType,
} from '../resources/bank-payment-methods.ts';
import { DepositFeeSchema, DepositSchema } from '../resources/deposits.schemas.ts';
import type { Deposit, DepositFee } from '../resources/deposits.ts';
import { PayoutOriginatorSchema } from '../resources/payout-originators.schemas.ts';
import type { Address, Party, PayoutOriginator } from '../resources/payout-originators.ts';
import { PayoutSchema } from '../resources/payouts.schemas.ts';
import { type Payout, payoutStates } from '../resources/payouts.ts';
import { absentProblems, addFee, after, chosenMoney, makeId, maker, sumProblem } from './make.ts';
import type { Maker } from './members.ts';

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

/** A bank account for each transfer type, as the service would return it. */
const ACCOUNTS = {
  SEPA: {
    currency: 'EUR',
    accountNumber: 'DE89370400440532013000',
    routingNumber: 'COBADEFFXXX',
    referenceCode: 'REF0000001',
    supportedActions: BOTH,
  },
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
} satisfies Readonly<Record<TransferType, BankAccount>>;

function usualAccount(transferType: string): BankAccount | undefined {
  return Object.hasOwn(ACCOUNTS, transferType) ? ACCOUNTS[transferType as TransferType] : undefined;
}

/**
 * Creates a bank payment method in state PENDING. Defaults to SEPA. The account number and the
 * currency match the transfer type.
 *
 * @example
 * const ready = makeBankPaymentMethod({ state: 'READY', transferType: 'FPS' });
 * console.log(ready.currency); // GBP
 */
export const makeBankPaymentMethod: Maker<BankPaymentMethod> = maker(
  'makeBankPaymentMethod',
  BankPaymentMethodSchema,
  {
    usual: ({ transferType = 'SEPA', bankAddress }, { id, created }) => ({
      id: id('bankPaymentMethod'),
      state: 'PENDING',
      supportedActions: BOTH,
      created,
      transferType,
      ...(usualAccount(transferType) ?? ACCOUNTS.SEPA),
      beneficiaries: [OWNER],
      ...(bankAddress && { bankAddress: ADDRESS }),
    }),
    problems({ transferType, currency }) {
      const usual = usualAccount(transferType)?.currency ?? currency;
      return {
        currency: usual !== currency && `must be ${usual} for this transfer type`,
      };
    },
  },
);

/**
 * Creates a payout originator in state PENDING_REVIEW. By default, it's a person with an address.
 *
 * @example
 * const approved = makePayoutOriginator({ state: 'APPROVED', details: { name: 'Ada Lovelace' } });
 */
export const makePayoutOriginator: Maker<PayoutOriginator> = maker(
  'makePayoutOriginator',
  PayoutOriginatorSchema,
  {
    usual: ({ details }, { id, created }) => ({
      id: id('payoutOriginator'),
      state: 'PENDING_REVIEW',
      created,
      details: details?.type === 'COMPANY' ? { ...OWNER, dateOfBirth: undefined } : OWNER,
    }),
    problems: ({ details: { type, dateOfBirth } }) => ({
      'details.dateOfBirth':
        type === 'COMPANY' && dateOfBirth !== undefined && 'must be omitted for a company',
    }),
  },
);

/**
 * Creates a deposit in state NEW. Defaults to 50.00 EUR. The fee and the total match the amount,
 * and a FAILED deposit has a reason.
 *
 * @example
 * const failed = makeDeposit({ state: 'FAILED' });
 */
export const makeDeposit: Maker<Deposit> = maker('makeDeposit', DepositSchema, {
  usual({ state = 'NEW', ...chosen }, { id }) {
    const amount = chosenMoney(chosen.amount, '50.00');
    const { fee, total } = addFee(amount, chosen.fee);
    return {
      id: id('deposit'),
      amount,
      fee,
      totalAmount: total,
      state,
      ...(state === 'FAILED' && { failureReason: 'DECLINED_BY_BANK' }),
    };
  },
  problems: (value) => ({
    ...absentProblems(value, { failureReason: ['NEW', 'PENDING', 'COMPLETED'] }),
    ...sumProblem(value, 'totalAmount', 'amount', 'fee'),
  }),
});

/**
 * Creates a fee estimate for a deposit. Defaults to a deposit of 50.00 EUR that settles
 * immediately.
 *
 * @example
 * const estimate = makeDepositFee({ amount: { amount: '100.00' } });
 * console.log(estimate.total.amount); // '100.10'
 */
export const makeDepositFee: Maker<DepositFee> = maker('makeDepositFee', DepositFeeSchema, {
  usual(chosen) {
    const amount = chosenMoney(chosen.amount, '50.00');
    return { amount, ...addFee(amount, chosen.fee), feePercent: '0.1', feeFixed: '0.00' };
  },
  problems: (value) => sumProblem(value, 'total', 'amount', 'fee'),
});

/**
 * Creates a payout in state NEW. By default, it pays 25.00 EUR to the first bank payment method.
 * Its timestamps match its state.
 *
 * @example
 * const sent = makePayout({ state: 'COMPLETED' });
 *  // 2026-01-05T09:00:01+00:00 2026-01-05T09:00:03+00:00
 * console.log(sent.initiated, sent.completed);
 */
export const makePayout: Maker<Payout> = maker('makePayout', PayoutSchema, {
  usual({ state = 'NEW', amount, created, initiated, fee }, { index, created: now, id }) {
    const asked = chosenMoney(amount, '25.00');
    const begun = initiated ?? after(created ?? now, 1_000);
    const isBegun = (payoutStates.rank(state) ?? 0) > 0;
    const isDone = state === 'COMPLETED' || state === 'REVERSED';
    return {
      id: id('payout'),
      state,
      created: now,
      paymentMethodId: makeId('bankPaymentMethod'),
      amount: asked,
      fee: { ...chosenMoney(fee, '0.35', asked.currency), feePolicy: 'EXCLUSIVE' },
      reference: `PO-${index}`,
      ...(isBegun && { initiated: begun, transactionId: id('payoutTransaction') }),
      ...(isDone && { completed: after(begun, 2_000) }),
    };
  },
  problems: (value) =>
    absentProblems(value, {
      initiated: ['NEW'],
      transactionId: ['NEW'],
      completed: ['NEW', 'INITIATED'],
    }),
});
