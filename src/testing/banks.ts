import type { BankPaymentMethod, SupportedAction } from '../resources/bank-payment-methods.ts';
import { BankPaymentMethodSchema } from '../resources/bank-payment-methods.schemas.ts';
import type { Address, Party, PayoutOriginator } from '../resources/payout-originators.ts';
import { PayoutOriginatorSchema } from '../resources/payout-originators.schemas.ts';
import { make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import type { Origin } from './origin.ts';
import { shapeOf } from '../resources/wire.ts';

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
