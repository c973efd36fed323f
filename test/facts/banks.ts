// Bank payment methods and payout originators.
import {
  answers,
  becomes,
  byBank,
  gives,
  has,
  needs,
  newKeyNewQuote,
  on,
  once,
  optional,
  reads,
  refuses,
  refusesBody,
  refusesSomehow,
  refusesValue,
  takes,
  tooLong,
  tooShort,
  unknown,
} from './checks.ts';
import { type Answer, section, type Stage, type Thing, PUBLIC, under } from './fact.ts';
import { costs, digits, pays, paysAtLeast, sums } from './money.ts';
import {
  absent,
  absentOrNull,
  array,
  arrayOf,
  date,
  decimal,
  integer,
  moneyIn,
  nullish,
  object,
  one,
  text,
  time,
  uuid,
} from './shapes.ts';

const MAKE = 'POST /v1/payment-methods/bank';
const BANK = '/v1/payment-methods/bank/{id}';
const ORIGINATOR = '/v1/payout-originators/{id}';
const HOME = 'beneficiaries.0.address';
const action = one('DEPOSIT', 'WITHDRAWAL');

export const banks = section('banks', [
  [MAKE, 'A bank method answers 201.', answers('ach', 201)],
  ...under(PUBLIC.banks, [
    ['It has an id that is a UUID.', has('ach', 'id', uuid)],
    ['It is PENDING at first.', becomes('ach', 'state', 'PENDING')],
  ]),
  [
    'Bank payment method',
    'It says what it can be used for.',
    has('ach', 'supportedActions', arrayOf(action)),
  ],
  ...under(PUBLIC.banks, [
    ['It says when it was made.', has('ach', 'created', time)],
    ['It says its transfer type.', has('ach', 'transferType', 'ACH')],
    ['It says its account number.', has('ach', 'accountNumber', '000123456789')],
    ['It says its routing number.', has('ach', 'routingNumber', '110000000')],
    ['It says the kind of its account.', has('ach', 'accountType', 'CHECKING')],
    ['A method that is not ACH has no kind of account.', has('sepa', 'accountType', absentOrNull)],
    ['It says the name of its bank.', has('ach', 'bankName', 'Beispielbank')],
    ['It says the address of its bank.', has('ach', 'bankAddress.city', 'Berlin')],
    ['It names its owners.', has('ach', 'beneficiaries', array)],
    ['An owner has a name.', has('ach', 'beneficiaries.0.name', 'Ada Sample')],
  ]),
  [
    PUBLIC.messages,
    'The date of birth of a person is a date without a time.',
    has('ach', 'beneficiaries.0.dateOfBirth', date),
  ],
  [
    'Changelog 2024-02-19',
    'It may have a code to quote in a transfer.',
    has('readyAch', 'referenceCode', nullish(text)),
  ],
  ...under(PUBLIC.banks, [
    ['The currency of ACH is the dollar.', has('ach', 'currency', 'USD')],
    ['The currency of a domestic wire is the dollar.', has('wire', 'currency', 'USD')],
  ]),
  ['Changelog 2024-04-11', 'The currency of SEPA is the euro.', has('sepa', 'currency', 'EUR')],
  ['Changelog 2024-06-12', 'The currency of FPS is the pound.', has('fps', 'currency', 'GBP')],
  [
    'Changelog 2025-07-07',
    'The currency of BSB is the Australian dollar.',
    has('bsb', 'currency', 'AUD'),
  ],
  ...under(PUBLIC.banks, [
    ['The transfer type is required.', needs('ach', 'transferType')],
    ['The account number is required.', needs('ach', 'accountNumber')],
    ['ACH needs a routing number.', needs('ach', 'routingNumber')],
    ['A domestic wire needs a routing number.', needs('wire', 'routingNumber')],
    ['ACH needs the kind of the account.', needs('ach', 'accountType')],
    ['Owners are required.', needs('ach', 'beneficiaries')],
    ['At least one owner is required.', refuses('ach', { beneficiaries: [] }, 400, 'INVALID_DATA')],
    ['The kind of an owner is required.', needs('ach', 'beneficiaries.0.type')],
    ['The name of an owner is required.', needs('ach', 'beneficiaries.0.name')],
    [
      'A transfer type that does not exist is refused.',
      refusesValue('ach', 'transferType', 'SWIFT'),
    ],
    [
      'A kind of account that does not exist is refused.',
      refusesValue('ach', 'accountType', 'CURRENT'),
    ],
    [
      'A kind of owner that does not exist is refused.',
      refusesValue('ach', 'beneficiaries.0.type', 'PERSON'),
    ],
    [
      'A savings account is a kind of account.',
      takes('ach', { accountType: 'SAVINGS' }, 'accountType', 'SAVINGS'),
    ],
    ['The name of the bank can be left out.', optional('ach', 'bankName')],
    ['The address of the bank can be left out.', optional('ach', 'bankAddress')],
    ['The address of an owner can be left out.', optional('ach', HOME)],
    [
      'The date of birth of a person can be left out.',
      optional('ach', 'beneficiaries.0.dateOfBirth'),
    ],
  ]),
  ...under(PUBLIC.bounds, [
    ['The name of the bank has at least one character.', tooShort('ach', 'bankName', '', 1)],
    ['The name of the bank may have 150 characters.', takes('ach', { bankName: 'b'.repeat(150) })],
    ['The name of the bank with 151 characters is too long.', tooLong('ach', 'bankName', 150)],
    [
      'The name of an owner has at least one character.',
      tooShort('ach', 'beneficiaries.0.name', '', 1),
    ],
    [
      'The name of an owner may have 100 characters.',
      takes('ach', { 'beneficiaries.0.name': 'n'.repeat(100) }),
    ],
    [
      'The name of an owner with 101 characters is too long.',
      tooLong('ach', 'beneficiaries.0.name', 100),
    ],
  ]),
  ...under(PUBLIC.banks, [
    [
      'A date of birth that is no date is refused.',
      refusesValue('ach', 'beneficiaries.0.dateOfBirth', '17.05.1988'),
    ],
    [
      'A date of birth that is in no calendar is refused.',
      refusesValue('ach', 'beneficiaries.0.dateOfBirth', '1988-02-30'),
    ],
    ['An address needs a country.', needs('ach', `${HOME}.country`)],
    ['An address needs a city.', needs('ach', `${HOME}.city`)],
    ['An address needs a post code.', needs('ach', `${HOME}.postCode`)],
    ['An address needs a first line.', needs('ach', `${HOME}.line1`)],
    [
      'An address can do without a state.',
      takes('ach', { [`${HOME}.state`]: 'BE' }, `${HOME}.state`, 'BE'),
    ],
    [
      'The country of an address is two letters.',
      refuses('ach', { [`${HOME}.country`]: 'Germany' }, 400, 'INVALID_DATA'),
    ],
    ['The address of the bank needs a country too.', needs('ach', 'bankAddress.country')],
  ]),
  [
    'Validation codes',
    'A routing number of ACH has nine digits exactly.',
    refusesValue('ach', 'routingNumber', '12', 'INVALID_DATA_LENGTH', { length: 9 }),
  ],
  ...under(PUBLIC.banks, [
    ['A company can be the owner.', takes('sepa', {}, 'beneficiaries.0.type', 'COMPANY')],
    [
      'A company keeps its email address.',
      has('sepa', 'beneficiaries.0.email', 'post@sample.invalid'),
    ],
  ]),
  [MAKE, 'A body that is not JSON is refused.', refusesBody('ach', 'transferType=ACH')],
  ['States', 'A method is READY after its verification.', becomes('readyAch', 'state', 'READY')],
  ...under(PUBLIC.banks, [
    ['A READY method can be SUSPENDED.', becomes('suspendedBank', 'state', 'SUSPENDED')],
    ['A method whose verification failed is INVALID.', becomes('invalidBank', 'state', 'INVALID')],
  ]),
  ...under('GET /v1/payment-methods/bank/{id}', [
    [
      'A method that is read is the one that was made.',
      reads(
        'ach',
        `GET ${BANK}`,
        'id',
        'transferType',
        'accountNumber',
        'currency',
        'beneficiaries',
      ),
    ],
    ['An id that nothing has is not found.', unknown(`GET ${BANK}`)],
  ]),
  ...under(PUBLIC.banks, [
    ['Removing a method answers 204.', gives('readyAch', `DELETE ${BANK}`, 204)],
    [
      'Removing a method answers without a body.',
      gives('readyAch', `DELETE ${BANK}`, 204, '', absent),
    ],
    ['A method that was removed is INACTIVE.', becomes('removedBank', 'state', 'INACTIVE')],
  ]),
  [
    'DELETE /v1/payment-methods/bank/{id}',
    'Nothing has no method to remove: not found.',
    unknown(`DELETE ${BANK}`),
  ],
]);

export const originators = section('originators', [
  ['POST /v1/payout-originators', 'An originator answers 201.', answers('originator', 201)],
  ...under(PUBLIC.originators, [
    ['It has an id that is a UUID.', has('originator', 'id', uuid)],
    ['It waits for a review at first.', becomes('pendingOriginator', 'state', 'PENDING_REVIEW')],
    ['It says when it was made.', has('originator', 'created', time)],
    ['What was said of it stands in its details.', has('originator', 'details', object)],
    ['The details have the name.', has('originator', 'details.name', 'Sample GmbH')],
    ['The details have the kind.', has('originator', 'details.type', 'COMPANY')],
    ['The details have the address.', has('originator', 'details.address.city', 'Berlin')],
    [
      'The details of a company have its email address.',
      has('originator', 'details.email', 'post@sample.invalid'),
    ],
    [
      'The details of a person have the date of birth.',
      has('person', 'details.dateOfBirth', '1988-05-17'),
    ],
    ['The name does not stand beside the details.', has('originator', 'name', absent)],
    ['The kind is required.', needs('originator', 'type')],
    ['The name is required.', needs('originator', 'name')],
    ['The address is required.', needs('originator', 'address')],
    ['The country of the address is required.', needs('originator', 'address.country')],
    ['The city of the address is required.', needs('originator', 'address.city')],
    ['The post code of the address is required.', needs('originator', 'address.postCode')],
    ['The first line of the address is required.', needs('originator', 'address.line1')],
    ['A kind that does not exist is refused.', refusesValue('originator', 'type', 'PERSON')],
    ['The email address of a company can be left out.', optional('originator', 'email')],
    [
      'A company may have a telephone number.',
      takes('originator', { phoneNumber: '+4930123456' }, 'details.phoneNumber', '+4930123456'),
    ],
    [
      'A company may have a page.',
      takes(
        'originator',
        { url: 'https://sample.invalid' },
        'details.url',
        'https://sample.invalid',
      ),
    ],
    ['The date of birth of a person can be left out.', optional('person', 'dateOfBirth')],
    [
      'A date of birth that is no date is refused.',
      refusesValue('person', 'dateOfBirth', 'yesterday'),
    ],
  ]),
  [
    'POST /v1/payout-originators',
    'A body that is a list is refused.',
    refusesBody('originator', '[1]'),
  ],
  [
    'States',
    'After its review an originator can be APPROVED.',
    becomes('approvedOriginator', 'state', 'APPROVED'),
  ],
  [
    PUBLIC.originators,
    'After its review an originator can be REJECTED.',
    becomes('rejectedOriginator', 'state', 'REJECTED'),
  ],
  ...under('GET /v1/payout-originators/{id}', [
    [
      'An originator that is read is the one that was made.',
      reads('originator', `GET ${ORIGINATOR}`, 'id', 'details', 'created'),
    ],
    ['An id that nothing has is not found.', unknown(`GET ${ORIGINATOR}`)],
  ]),
  ...under(PUBLIC.originators, [
    [
      'Removing an originator answers 204 without a body.',
      gives('approvedOriginator', `DELETE ${ORIGINATOR}`, 204, '', absent),
    ],
    [
      'An originator that was removed is INACTIVE.',
      becomes('removedOriginator', 'state', 'INACTIVE'),
    ],
  ]),
  [
    'DELETE /v1/payout-originators/{id}',
    'Nothing has no originator to remove: not found.',
    unknown(`DELETE ${ORIGINATOR}`),
  ],
]);

// Payouts and deposits.

const DAY = 86_400_000;
const MAKE_PAYOUT = 'POST /v1/payouts';
const INITIATE = 'PATCH /v1/payouts/{id}/initiate';
const READ = 'GET /v1/payouts/{id}';
const initiate = (stage: Stage, values: object): Promise<Answer> => stage.ask(INITIATE, { values });
const fail = ({ world }: Stage, { id }: Thing): Promise<unknown> =>
  world.move('payout', id, 'FAILED');
const nowhere = crypto.randomUUID();

export const payouts = section(
  'payouts',
  [
    [MAKE_PAYOUT, 'A payout answers 201.', answers('payout', 201)],
    ...under(PUBLIC.payouts, [
      ['It has an id that is a UUID.', has('payout', 'id', uuid)],
      ['It is NEW.', becomes('payout', 'state', 'NEW')],
      ['It says when it was made.', has('payout', 'created', time)],
      ['It names its bank method.', has('payout', 'paymentMethodId', uuid)],
      ['The sender is named by an id where there is one.', has('payoutFor', 'originatorId', uuid)],
      [
        'The owner of the account is a sender without an id.',
        has('payout', 'originatorId', absentOrNull),
      ],
      [
        'Its amount has the currency of the bank method.',
        has('payout', 'amount', { amount: '50.00', currency: 'EUR' }),
      ],
      ['Its fee is money.', has('payout', 'fee.amount', decimal)],
      ['Its fee is in the same currency.', has('payout', 'fee.currency', 'EUR')],
      [
        'Its fee may say its policy.',
        has('payout', 'fee.feePolicy', nullish(one('INCLUSIVE', 'EXCLUSIVE'))),
      ],
    ]),
    ...under('Payout', [
      ['The reference of the draft comes back.', has('payout', 'reference', 'INV 88')],
      ['A NEW payout was not initiated yet.', has('payout', 'initiated', absentOrNull)],
      ['A NEW payout is not completed yet.', has('payout', 'completed', absentOrNull)],
    ]),
    ...under(PUBLIC.payouts, [
      ['The bank method is required.', needs('payout', 'paymentMethodId')],
      ['The amount is required.', needs('payout', 'amount')],
      [
        'The amount is a bare text, no object.',
        refuses('payout', { amount: { amount: '50.00', currency: 'EUR' } }, 400, 'INVALID_DATA'),
      ],
      ['The amount is a decimal text.', refusesValue('payout', 'amount', 'fifty')],
      ['The amount cannot be zero.', refuses('payout', { amount: '0.00' }, 422, 'INVALID_AMOUNT')],
      ['The sender can be left out.', takes('payout', { originatorId: undefined })],
      ['The reference can be left out.', optional('payout', 'reference')],
      ['The policy can be left out.', optional('payout', 'feePolicy')],
      ['A policy that does not exist is refused.', refusesValue('payout', 'feePolicy', 'SOME')],
      ['A reference has at least one character.', tooShort('payout', 'reference', '', 1)],
    ]),
    ...under(PUBLIC.bounds, [
      [
        'A reference of SEPA may have 128 characters.',
        byBank('payout', 'readySepa', 'reference', 128),
      ],
      [
        'A reference of SEPA has at most 128 characters.',
        byBank('payout', 'readySepa', 'reference', 129, 128),
      ],
      ['A reference of ACH may have 10 characters.', byBank('payout', 'readyAch', 'reference', 10)],
      [
        'A reference of ACH has at most 10 characters.',
        byBank('payout', 'readyAch', 'reference', 11, 10),
      ],
      [
        'A reference of a wire may have 15 characters.',
        byBank('payout', 'readyWire', 'reference', 15),
      ],
      [
        'A reference of a wire has at most 15 characters.',
        byBank('payout', 'readyWire', 'reference', 16, 15),
      ],
      ['A reference of FPS may have 5 characters.', byBank('payout', 'readyFps', 'reference', 5)],
      [
        'A reference of FPS has at most 5 characters.',
        byBank('payout', 'readyFps', 'reference', 6, 5),
      ],
    ]),
    ...under(PUBLIC.payouts, [
      [
        'A bank method that nothing has is refused.',
        refusesSomehow('payout', { paymentMethodId: nowhere }),
      ],
      [
        'A sender that nothing has is refused.',
        refusesSomehow('payout', { originatorId: nowhere }),
      ],
    ]),
    ...under('GET /v1/payouts/{id}', [
      [
        'A payout that is read is the one that was made.',
        reads('payout', READ, 'id', 'amount', 'fee', 'reference', 'paymentMethodId'),
      ],
      ['An id that nothing has is not found.', unknown(READ)],
    ]),
    [
      'PATCH /v1/payouts/{id}/initiate',
      'Initiating answers 200 with the payout.',
      gives('payout', INITIATE, 200, 'id', uuid),
    ],
    [
      PUBLIC.payouts,
      'A payout that was initiated is INITIATED.',
      becomes('initiatedPayout', 'state', 'INITIATED'),
    ],
    ['Payout', 'A payout that was initiated says when.', has('initiatedPayout', 'initiated', time)],
    [
      'PATCH /v1/payouts/{id}/initiate',
      'Nothing has no payout to initiate: not found.',
      unknown(INITIATE),
    ],
    [
      'Errors',
      'A completed payout is not initiated again.',
      on('donePayout', INITIATE, 422, 'PAYOUT_ALREADY_INITIATED'),
    ],
    [
      PUBLIC.payouts,
      'A payout whose money left is COMPLETED.',
      becomes('donePayout', 'state', 'COMPLETED'),
    ],
    ['Payout', 'A completed payout says when.', has('donePayout', 'completed', time)],
    ...under(PUBLIC.payouts, [
      ['A payout that did not succeed is FAILED.', becomes('failedPayout', 'state', 'FAILED')],
      ['A payout that came back is REVERSED.', becomes('reversedPayout', 'state', 'REVERSED')],
      ['A payout may name its transaction.', has('donePayout', 'transactionId', nullish(uuid))],
    ]),
    ...under(PUBLIC.movements, [
      ['A NEW payout takes nothing.', costs('payout', 'EUR', undefined, 0)],
      [
        'An initiated payout takes its amount and fee from what is free.',
        pays('payout', initiate, 'EUR', ['amount.amount', 'fee.amount'], -1),
      ],
      [
        'A failed payout gives its amount back.',
        paysAtLeast('initiatedPayout', fail, 'EUR', 'amount.amount'),
      ],
    ]),
  ],
  { pause: DAY },
);

const DEPOSIT = 'POST /v1/deposits';
const FEE = 'POST /v1/deposits/fee';

export const deposits = section(
  'deposits',
  [
    [DEPOSIT, 'A deposit answers 200.', answers('deposit', 200)],
    ...under(PUBLIC.deposits, [
      ['It has an id that is a UUID.', has('deposit', 'id', uuid)],
      ['It says what will be credited.', has('deposit', 'amount', moneyIn('EUR'))],
      ['It says its fee.', has('deposit', 'fee', moneyIn('EUR'))],
      ['It says what the bank is asked for.', has('deposit', 'totalAmount', moneyIn('EUR'))],
      [
        'The bank is asked for what is credited and the fee.',
        sums('deposit', 'totalAmount.amount', 'amount.amount', 'fee.amount'),
      ],
      ['It is NEW or PENDING at first.', becomes('deposit', 'state', one('NEW', 'PENDING'))],
      ['By ACH it is PENDING at first.', becomes('achDeposit', 'state', 'PENDING')],
      ['It has no time of creation.', has('deposit', 'created', absent)],
      ['It does not name its bank method.', has('deposit', 'paymentMethodId', absent)],
      [
        'It has no reason of failure as long as it has not failed.',
        has('deposit', 'failureReason', absentOrNull),
      ],
      ['The bank method is required.', needs('deposit', 'paymentMethodId')],
      ['The amount is required.', needs('deposit', 'amount')],
    ]),
    [
      PUBLIC.memberNames,
      'The amount is a bare text, no object.',
      refuses('deposit', { amount: { amount: '50.00', currency: 'EUR' } }, 400, 'INVALID_DATA'),
    ],
    ...under(PUBLIC.deposits, [
      ['The amount is a decimal text.', refusesValue('deposit', 'amount', 'fifty')],
      ['The amount cannot be zero.', refuses('deposit', { amount: '0.00' }, 422, 'INVALID_AMOUNT')],
      ['The policy can be left out.', optional('deposit', 'feePolicy')],
      ['A policy that does not exist is refused.', refusesValue('deposit', 'feePolicy', 'SOME')],
      ['With EXCLUSIVE the amount is credited.', has('deposit', 'amount.amount', '50.00')],
      [
        'With INCLUSIVE the bank is asked for the amount.',
        takes('deposit', { feePolicy: 'INCLUSIVE' }, 'totalAmount.amount', '50.00'),
      ],
      [
        'A bank method that nothing has is refused.',
        refusesSomehow('deposit', { paymentMethodId: nowhere }),
      ],
    ]),
    [
      'Errors',
      'The refusal of a second deposit of an idempotency key names the first.',
      once('deposit', 'DUPLICATE_DEPOSIT', 'depositId', 'id'),
    ],
    [
      PUBLIC.keys,
      'Without a key each request makes a deposit.',
      newKeyNewQuote('deposit', undefined, 'id'),
    ],
    ...under('GET /v1/deposits/{id}', [
      [
        'A deposit that is read is the one that was made.',
        reads('achDeposit', 'GET /v1/deposits/{id}', 'id', 'amount', 'fee', 'totalAmount', 'state'),
      ],
      ['An id that nothing has is not found.', unknown('GET /v1/deposits/{id}')],
    ]),
    ...under(PUBLIC.deposits, [
      ['A deposit that arrived is COMPLETED.', becomes('doneDeposit', 'state', 'COMPLETED')],
      ['A deposit that did not arrive is FAILED.', becomes('failedDeposit', 'state', 'FAILED')],
      ['A failed deposit may say why.', has('failedDeposit', 'failureReason', nullish(text))],
      [
        'A deposit that the bank took back is REVERSED.',
        becomes('reversedDeposit', 'state', 'REVERSED'),
      ],
    ]),
    ...under(PUBLIC.movements, [
      ['A completed deposit is free to spend.', costs('doneDeposit', 'USD', 'amount.amount', 1)],
      ['A pending deposit is not free to spend.', costs('pendingDeposit', 'USD', undefined, 0)],
      [
        'A pending deposit is in the pending figure.',
        costs('pendingDeposit', 'USD', 'amount.amount', 1, 'pending'),
      ],
      [
        'A pending deposit is in the current figure.',
        costs('pendingDeposit', 'USD', 'amount.amount', 1, 'current'),
      ],
      ['A failed deposit gives nothing.', costs('failedDeposit', 'USD', undefined, 0)],
    ]),
    [FEE, 'An estimate answers 200.', answers('fee', 200)],
    ...under(PUBLIC.deposits, [
      ['An estimate says what would be credited.', has('fee', 'amount', moneyIn('EUR'))],
      ['An estimate says the fee.', has('fee', 'fee', moneyIn('EUR'))],
      [
        'An estimate says the total, under another name than the deposit.',
        has('fee', 'total', moneyIn('EUR')),
      ],
      ['An estimate has no totalAmount.', has('fee', 'totalAmount', absent)],
      [
        'The total is what is credited and the fee.',
        sums('fee', 'total.amount', 'amount.amount', 'fee.amount'),
      ],
      ['An estimate may say its percentage.', has('fee', 'feePercent', nullish(decimal))],
      ['An estimate may say its fixed part.', has('fee', 'feeFixed', nullish(decimal))],
    ]),
    ...under('Changelog 2024-10-25', [
      [
        'An estimate says when it is settled; null means at once.',
        has('achFee', 'settledAt', nullish(time)),
      ],
      [
        'The obsolete count of days is a whole number or nothing.',
        has('achFee', 'settlementPeriodInDay', nullish(integer)),
      ],
    ]),
    ...under(PUBLIC.deposits, [
      ['By ACH there is no fee.', has('achFee', 'fee', { amount: '0.00', currency: 'USD' })],
      ['By ACH it takes five days.', has('achFee', 'settlementPeriodInDay', 5)],
      ['An estimate needs a bank method.', needs('fee', 'paymentMethodId')],
      ['An estimate needs an amount.', needs('fee', 'amount')],
      ['An estimate takes a decimal text.', refusesValue('fee', 'amount', 'fifty')],
      [
        'A policy that does not exist is refused in an estimate.',
        refusesValue('fee', 'feePolicy', 'SOME'),
      ],
      ['An estimate is in two digits behind the point.', digits('fee', 'total.amount', 2)],
    ]),
  ],
  { pause: 8 * DAY },
);
