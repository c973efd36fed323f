// Quotes for Lightning invoices.
import {
  answers,
  asks,
  becomes,
  brokenInvoice,
  everyPair,
  executesOnce,
  expiresOnly,
  gives,
  has,
  lateExecution,
  needs,
  newKeyNewQuote,
  on,
  once,
  optional,
  pairsOf,
  ratesDigits,
  reads,
  readsNothing,
  refusedSomehow,
  refuses,
  refusesBody,
  refusesValue,
  sameAs,
  spendsDefault,
  staysNew,
  takes,
  timelyExecution,
  tooLong,
  tooShort,
  unknown,
  wrongCurrency,
} from './checks.ts';
import { type Answer, section, type Stage, PUBLIC, under } from './fact.ts';
import { costs, digits, pays, sums, within } from './money.ts';
import {
  absent,
  absentOrNull,
  array,
  arrayOf,
  decimal,
  hash,
  integer,
  money,
  moneyIn,
  nullish,
  object,
  rate,
  text,
  time,
  uuid,
} from './shapes.ts';

const LIGHTNING = 'POST /v1/payment-quotes/lightning';
const WHO = 'beneficiary';

export const lightningQuotes = section('lightning quotes', [
  ...under('Payment quote', [
    ['A quote has an id that is a UUID.', has('lightningQuote', 'paymentQuoteId', uuid)],
    [
      'The fee of the network is money, where it is said.',
      has('lightningQuote', 'lightningNetworkFee', nullish(money)),
    ],
    [
      'The description is that of the Lightning invoice.',
      has('lightningQuote', 'description', 'Coffee'),
    ],
    ['A quote says until when it holds.', has('lightningQuote', 'validUntil', time)],
    [
      'A quote holds for some time: its end lies ahead.',
      within('lightningQuote', 'validUntil', 1_000, 3_600_000),
    ],
    ['Where currencies differ, a rate is told.', has('lightningQuote', 'conversionRate', rate())],
    [
      'The number of a rate is a decimal text.',
      has('lightningQuote', 'conversionRate.amount', decimal),
    ],
  ]),
  [
    PUBLIC.paymentQuotes,
    'Where nothing is converted, no rate is told.',
    has('bitcoinQuote', 'conversionRate', absentOrNull),
  ],
  ...under('Payment quote', [
    [
      'What the receiver gets is told in the currency of the sender.',
      has('lightningQuote', 'amount', moneyIn('EUR')),
    ],
    [
      'The sum of all fees is money of that currency.',
      has('lightningQuote', 'totalFee', moneyIn('EUR')),
    ],
    [
      'What the sender spends is money of that currency.',
      has('lightningQuote', 'totalAmount', moneyIn('EUR')),
    ],
    ['A reward, if any, is money.', has('lightningQuote', 'reward', nullish(money))],
    [
      'What is spent is what is received and the fees.',
      sums('lightningQuote', 'totalAmount.amount', 'amount.amount', 'totalFee.amount'),
    ],
  ]),
  [
    PUBLIC.digits,
    'Amounts in euro have two digits behind the point.',
    digits('lightningQuote', 'totalAmount.amount', 2),
  ],
  [
    'Payment quote',
    'With bitcoin as source all is in bitcoin.',
    has('bitcoinQuote', 'totalAmount', moneyIn('BTC')),
  ],
  [
    PUBLIC.digits,
    'Amounts in bitcoin have eight digits behind the point.',
    digits('bitcoinQuote', 'totalAmount.amount', 8),
  ],
  [
    'Payment quote',
    'A quote in bitcoin asks for what the Lightning invoice asks for.',
    has('bitcoinQuote', 'amount', { amount: '0.00002100', currency: 'BTC' }),
  ],
  ...under(LIGHTNING, [
    ['Making a quote answers 200.', answers('lightning', 200)],
    ['The Lightning invoice is required.', needs('lightning', 'lnInvoice')],
  ]),
  [
    'Limits',
    'The Lightning invoice has at least one character.',
    tooShort('lightning', 'lnInvoice', '', 1),
  ],
  [
    LIGHTNING,
    'A Lightning invoice that is a number is refused.',
    refuses('lightning', { lnInvoice: 17 }, 400, 'INVALID_DATA'),
  ],
  [
    PUBLIC.memberNames,
    'Under another name it is missing.',
    refuses('lightning', { lnInvoice: undefined, invoice: 'x' }, 400, 'INVALID_DATA'),
  ],
  ...under(LIGHTNING, [
    ['A body that is not JSON is refused.', refusesBody('lightning', '{"lnInvoice"')],
    ['The currency of the source is one of the six.', wrongCurrency('lightning', 'sourceCurrency')],
    [
      'A currency in small letters is none of the six.',
      refuses('lightning', { sourceCurrency: 'eur' }, 400, 'INVALID_DATA'),
    ],
    ['Without a source the default currency of the account is spent.', spendsDefault()],
  ]),
  [
    'Changelog 2023-08-11',
    'Bitcoin can be spent.',
    takes('lightning', { sourceCurrency: 'BTC' }, 'totalAmount.currency', 'BTC'),
  ],
  [
    LIGHTNING,
    'Dollars can be spent.',
    takes('lightning', { sourceCurrency: 'USD' }, 'totalAmount.currency', 'USD'),
  ],
  [
    'Changelog 2024-04-11',
    'Euros can be spent.',
    takes('lightning', { sourceCurrency: 'EUR' }, 'totalAmount.currency', 'EUR'),
  ],
  [
    LIGHTNING,
    'Tethers can be spent.',
    takes('lightning', { sourceCurrency: 'USDT' }, 'totalAmount.currency', 'USDT'),
  ],
  [
    'Changelog 2024-06-12',
    'Pounds can be spent.',
    takes('lightning', { sourceCurrency: 'GBP' }, 'totalAmount.currency', 'GBP'),
  ],
  [
    'Changelog 2025-07-07',
    'Australian dollars can be spent.',
    takes('lightning', { sourceCurrency: 'AUD' }, 'totalAmount.currency', 'AUD'),
  ],
  ...under(LIGHTNING, [
    [
      'An invoice that names an amount takes no other.',
      refuses('lightning', { amount: { amount: '5.00', currency: 'EUR' } }, 400, 'INVALID_DATA'),
    ],
    [
      'An invoice without an amount needs one.',
      refuses('zeroLightning', { amount: undefined }, 400, 'INVALID_DATA'),
    ],
    ['The number of that amount is required.', needs('zeroLightning', 'amount.amount')],
    ['The currency of that amount is required.', needs('zeroLightning', 'amount.currency')],
    [
      'The number of that amount is a decimal text.',
      refusesValue('zeroLightning', 'amount.amount', 'five'),
    ],
    [
      'The currency of that amount is one of the six.',
      wrongCurrency('zeroLightning', 'amount.currency'),
    ],
    [
      'That amount cannot be zero.',
      refuses('zeroLightning', { 'amount.amount': '0.00' }, 422, 'INVALID_AMOUNT'),
    ],
    [
      'With EXCLUSIVE the receiver gets the amount.',
      has('zeroQuote', 'amount', { amount: '12.00', currency: 'USD' }),
    ],
    [
      'With INCLUSIVE the sender spends the amount.',
      has('inclusiveQuote', 'totalAmount', { amount: '12.00', currency: 'USD' }),
    ],
    [
      'With INCLUSIVE the sum still holds.',
      sums('inclusiveQuote', 'totalAmount.amount', 'amount.amount', 'totalFee.amount'),
    ],
    [
      'Without a policy it is EXCLUSIVE.',
      takes('zeroLightning', { 'amount.feePolicy': undefined }, 'amount.amount', '12.00'),
    ],
    [
      'A policy that does not exist is refused.',
      refusesValue('zeroLightning', 'amount.feePolicy', 'INCLUSVE'),
    ],
    [
      'A policy in small letters is refused.',
      refusesValue('zeroLightning', 'amount.feePolicy', 'inclusive'),
    ],
  ]),
  [
    'Changelog 2024-10-14',
    'Bitcoin can pay an amount in dollars.',
    takes('zeroLightning', { sourceCurrency: 'BTC' }, 'totalAmount.currency', 'BTC'),
  ],
  ...under(LIGHTNING, [
    ['The beneficiary can be left out.', optional('zeroLightning', WHO)],
    [
      'A beneficiary that is a text is refused.',
      refuses('zeroLightning', { [WHO]: 'SELF' }, 400, 'INVALID_DATA'),
    ],
    ['The beneficiary can be the sender.', takes('lightning', { [WHO]: { type: 'SELF' } })],
    ['The beneficiary can be unknown.', takes('lightning', { [WHO]: { type: 'UNKNOWN' } })],
    [
      'A kind of beneficiary that does not exist is refused.',
      refusesValue('zeroLightning', `${WHO}.type`, 'PERSON'),
    ],
    [
      'Whether the destination is an own one is a boolean.',
      refuses('exchangeWallet', { [`${WHO}.isOwnDestination`]: 'yes' }, 400, 'INVALID_DATA'),
    ],
    [
      'A kind of destination that does not exist is refused.',
      refusesValue('zeroLightning', `${WHO}.destinationType`, 'WALLET'),
    ],
    [
      'A destination can be a wallet of its owner.',
      takes('lightning', { [WHO]: { destinationType: 'SELF_CUSTODY_WALLET' } }),
    ],
    ['A destination at an exchange names it by its id.', answers('exchangeWallet', 200)],
  ]),
  [
    PUBLIC.paymentQuotes,
    'A destination at an exchange can be named by the name of the exchange.',
    takes('exchangeWallet', {
      [`${WHO}.vaspId`]: undefined,
      [`${WHO}.vaspName`]: 'Sample Exchange',
    }),
  ],
  ...under(LIGHTNING, [
    [
      'A destination at an exchange needs its id or its name.',
      refuses('exchangeWallet', { [`${WHO}.vaspId`]: undefined }, 400, 'INVALID_DATA'),
    ],
    [
      'Id and name of an exchange together are refused.',
      refuses('exchangeWallet', { [`${WHO}.vaspName`]: 'Sample Exchange' }, 400, 'INVALID_DATA'),
    ],
  ]),
  ...under('Limits', [
    [
      'The id of an exchange may have 100 characters.',
      takes('exchangeWallet', { [`${WHO}.vaspId`]: 'v'.repeat(100) }),
    ],
    [
      'The id of an exchange of 101 characters is too long.',
      tooLong('exchangeWallet', `${WHO}.vaspId`, 100),
    ],
  ]),
  ...under(PUBLIC.paymentQuotes, [
    ['A business needs its name.', needs('exchangeWallet', `${WHO}.businessName`)],
    ['A person needs a first name.', needs('zeroLightning', `${WHO}.individualFirstName`)],
    ['A person needs a last name.', needs('zeroLightning', `${WHO}.individualLastName`)],
  ]),
  ...under(LIGHTNING, [
    [
      'The refusal of a second quote of an idempotency key names the first.',
      once('lightning', 'DUPLICATE_PAYMENT_QUOTE', 'paymentQuoteId', 'paymentQuoteId'),
    ],
    [
      'Without an idempotency key each request makes a quote.',
      newKeyNewQuote('lightning', undefined),
    ],
    [
      'Each new idempotency key makes a quote.',
      newKeyNewQuote('lightning', () => crypto.randomUUID()),
    ],
  ]),
  [
    PUBLIC.paymentQuotes,
    'A quote cannot be read.',
    readsNothing('lightningQuote', 'GET /v1/payment-quotes/{paymentQuoteId}'),
  ],
  ['Errors', 'A Lightning invoice with another last character is none.', brokenInvoice()],
  [
    PUBLIC.networks,
    'A Lightning invoice of another network is refused.',
    expiresOnly({ sat: '10', network: 'mainnet' }, 0, 'INVALID_LN_INVOICE'),
  ],
]);

// Quotes for Lightning addresses, LNURLs and on-chain addresses.

const LNURL = 'POST /v1/payment-quotes/lightning/lnurl';
const DETAILS = 'GET /v1/payment-quotes/lightning/lnurl/{lnAddressOrUrl}';
const CHAIN = 'POST /v1/payment-quotes/onchain';
const TIERS = 'POST /v1/payment-quotes/onchain/tiers';
const BTC = { amount: '0.00010000', currency: 'BTC' };

export const lnurl = section('lnurl', [
  ...under(LNURL, [
    ['A quote for a Lightning address answers 200.', answers('lnurl', 200)],
    ['It has an id that is a UUID.', has('lnurlQuote', 'paymentQuoteId', uuid)],
    [
      'It says what the receiver gets.',
      has('lnurlQuote', 'amount', { amount: '5.00', currency: 'USD' }),
    ],
    ['It says what the sender spends.', has('lnurlQuote', 'totalAmount', moneyIn('USD'))],
    ['Its fees are money.', has('lnurlQuote', 'totalFee', moneyIn('USD'))],
    [
      'Its sum holds.',
      sums('lnurlQuote', 'totalAmount.amount', 'amount.amount', 'totalFee.amount'),
    ],
    [
      'It tells the fee of the network too.',
      has('lnurlQuote', 'lightningNetworkFee', nullish(money)),
    ],
    ['It tells the rate.', has('lnurlQuote', 'conversionRate', rate())],
    ['Its end lies ahead.', within('lnurlQuote', 'validUntil', 1_000, 3_600_000)],
  ]),
  ...under(PUBLIC.paymentQuotes, [
    ['The address is required.', needs('lnurl', 'lnAddressOrUrl')],
    ['The source is required.', needs('lnurl', 'sourceCurrency')],
    ['The amount is required.', needs('lnurl', 'amount')],
    ['The number of the amount is required.', needs('lnurl', 'amount.amount')],
    ['The currency of the amount is required.', needs('lnurl', 'amount.currency')],
  ]),
  ...under(LNURL, [
    ['The source is one of the six.', wrongCurrency('lnurl', 'sourceCurrency')],
    ['The currency of the amount is one of the six.', wrongCurrency('lnurl', 'amount.currency')],
    ['The number of the amount is a decimal text.', refusesValue('lnurl', 'amount.amount', '1e2')],
    [
      'Bitcoin can pay an amount in dollars.',
      takes('lnurl', { sourceCurrency: 'BTC' }, 'totalAmount.currency', 'BTC'),
    ],
  ]),
  ...under(PUBLIC.paymentQuotes, [
    [
      'A fee policy is not taken here.',
      refuses('lnurl', { 'amount.feePolicy': 'INCLUSIVE' }, 400, 'INVALID_DATA'),
    ],
    ['A comment can be left out.', optional('lnurl', 'description')],
    ['An empty comment is too short.', tooShort('lnurl', 'description', '', 1)],
  ]),
  ...under(PUBLIC.bounds, [
    [
      'A comment may have as many characters as the receiver takes.',
      takes('lnurl', { description: 'c'.repeat(120) }),
    ],
    ['A comment with one character more is too long.', tooLong('lnurl', 'description', 120)],
    [
      'A comment of 120 characters outside of the basic plane is not too long.',
      takes('lnurl', { description: '🧀'.repeat(120) }),
    ],
  ]),
  [
    PUBLIC.paymentQuotes,
    'A receiver that takes no comment gets none.',
    refuses('lnurl', { lnAddressOrUrl: 'ben@wallet.example' }, 400, 'INVALID_DATA'),
  ],
  ...under(LNURL, [
    [
      'The refusal of a second quote of an idempotency key names the first.',
      once('lnurl', 'DUPLICATE_PAYMENT_QUOTE', 'paymentQuoteId', 'paymentQuoteId'),
    ],
    ['Without a key each request makes a quote.', newKeyNewQuote('lnurl', undefined)],
  ]),
  [DETAILS, 'Details of a Lightning address answer 200.', answers('lnurlDetails', 200)],
  ...under(PUBLIC.paymentQuotes, [
    [
      'The least that can be sent is a whole number of millisatoshi.',
      has('lnurlDetails', 'minSendable', integer),
    ],
    [
      'The most that can be sent is a whole number of millisatoshi.',
      has('lnurlDetails', 'maxSendable', integer),
    ],
    ['The metadata are a text that holds a list of pairs.', pairsOf('lnurlDetails', 'metadata')],
    [
      'How long a comment may be is a whole number, or nothing.',
      has('lnurlDetails', 'commentAllowed', nullish(integer)),
    ],
    ['The tag is payRequest.', has('lnurlDetails', 'tag', 'payRequest')],
  ]),
  [
    DETAILS,
    'An address that leads nowhere is refused.',
    refusedSomehow('GET /v1/payment-quotes/lightning/lnurl/nobody%40wallet.example'),
  ],
  [
    PUBLIC.messages,
    'An address that was not encoded whole is no address.',
    asks('GET /v1/payment-quotes/lightning/lnurl/a/b', {}, 404),
  ],
]);

export const onchain = section('onchain', [
  ...under(CHAIN, [
    ['A quote for an address answers 200.', answers('onchain', 200)],
    ['It has an id that is a UUID.', has('onchainQuote', 'paymentQuoteId', uuid)],
    [
      'It says what the receiver gets.',
      has('onchainQuote', 'amount', { amount: '200.00', currency: 'USD' }),
    ],
    ['It says what the sender spends.', has('onchainQuote', 'totalAmount', moneyIn('USD'))],
    ['Its fees are money.', has('onchainQuote', 'totalFee', moneyIn('USD'))],
    [
      'Its sum holds.',
      sums('onchainQuote', 'totalAmount.amount', 'amount.amount', 'totalFee.amount'),
    ],
    ['It tells the rate.', has('onchainQuote', 'conversionRate', rate())],
    ['Its end lies ahead.', within('onchainQuote', 'validUntil', 1_000, 3_600_000)],
  ]),
  ...under(PUBLIC.paymentQuotes, [
    [
      'It says in how many minutes the money should arrive.',
      has('onchainQuote', 'estimatedDeliveryDurationInMin', integer),
    ],
    [
      'It has no fee of the Lightning network.',
      has('onchainQuote', 'lightningNetworkFee', absentOrNull),
    ],
    ['The description of the draft is told.', has('onchainQuote', 'description', 'Supplier 12')],
    ['The address is required.', needs('onchain', 'btcAddress')],
    ['An empty address is too short.', tooShort('onchain', 'btcAddress', '', 1)],
    ['The source is required.', needs('onchain', 'sourceCurrency')],
    ['The amount is required.', needs('onchain', 'amount')],
    ['The number of the amount is required.', needs('onchain', 'amount.amount')],
    ['The currency of the amount is required.', needs('onchain', 'amount.currency')],
    ['The tier is required.', needs('onchain', 'onchainTierId')],
    ['An empty tier is too short.', tooShort('onchain', 'onchainTierId', '', 1)],
    [
      'A tier that was never offered is refused.',
      refuses('onchain', { onchainTierId: 'tier_never' }, 400, 'INVALID_DATA'),
    ],
  ]),
  ...under(CHAIN, [
    ['The source is one of the six.', wrongCurrency('onchain', 'sourceCurrency')],
    ['The currency of the amount is one of the six.', wrongCurrency('onchain', 'amount.currency')],
    [
      'A policy that does not exist is refused.',
      refusesValue('onchain', 'amount.feePolicy', 'NONE'),
    ],
    [
      'With INCLUSIVE the sender spends the amount.',
      takes('onchain', { 'amount.feePolicy': 'INCLUSIVE' }, 'totalAmount.amount', '200.00'),
    ],
    [
      'Without a policy it is EXCLUSIVE.',
      takes('onchain', { 'amount.feePolicy': undefined }, 'amount.amount', '200.00'),
    ],
  ]),
  [PUBLIC.paymentQuotes, 'The description can be left out.', optional('onchain', 'description')],
  ...under(PUBLIC.bounds, [
    ['A description may have 250 characters.', takes('onchain', { description: 'd'.repeat(250) })],
    ['A description of 251 characters is too long.', tooLong('onchain', 'description', 250)],
  ]),
  ...under(CHAIN, [
    ['The beneficiary can be named.', takes('onchain', { beneficiary: { type: 'SELF' } })],
    [
      'A kind of beneficiary that does not exist is refused.',
      refusesValue('onchain', 'beneficiary.type', 'PERSON'),
    ],
  ]),
  ...under('Errors', [
    [
      'A text that is no address is refused.',
      refuses('onchain', { btcAddress: 'tea' }, 422, 'INVALID_BITCOIN_ADDRESS'),
    ],
    [
      'An address of the main network is refused.',
      refuses(
        'onchain',
        { btcAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
        422,
        'INVALID_BITCOIN_ADDRESS',
      ),
    ],
    [
      'Less than can be sent on the chain is refused, with the bound.',
      refuses(
        'onchain',
        { sourceCurrency: 'BTC', amount: { ...BTC, amount: '0.00000100' } },
        422,
        'AMOUNT_TOO_LOW',
        { limit: money },
      ),
    ],
  ]),
  ...under(CHAIN, [
    [
      'The refusal of a second quote of an idempotency key names the first.',
      once('onchain', 'DUPLICATE_PAYMENT_QUOTE', 'paymentQuoteId', 'paymentQuoteId'),
    ],
    ['Without a key each request makes a quote.', newKeyNewQuote('onchain', undefined)],
  ]),
  [TIERS, 'Tiers answer 200.', answers('tiers', 200)],
  [PUBLIC.lists, 'Tiers are a bare list.', has('tiers', '', array)],
  ...under(PUBLIC.paymentQuotes, [
    ['A tier has an id.', has('tiers', '0.id', text)],
    [
      'A tier says in how many minutes the money should arrive.',
      has('tiers', '0.estimatedDeliveryDurationInMin', integer),
    ],
    ['A tier says its fee, in bitcoin.', has('tiers', '0.estimatedFee', moneyIn('BTC'))],
  ]),
  [
    'On-chain tier',
    'A tier may say the least amount that it takes.',
    has('tiers', '0.minimumAmount', nullish(money)),
  ],
  ...under(PUBLIC.paymentQuotes, [
    ['Tiers need an address.', needs('tiers', 'btcAddress')],
    ['Tiers need an amount.', needs('tiers', 'amount')],
    ['Tiers need the number of the amount.', needs('tiers', 'amount.amount')],
    ['Tiers need the currency of the amount.', needs('tiers', 'amount.currency')],
  ]),
  [TIERS, 'Tiers take one of the six currencies.', wrongCurrency('tiers', 'amount.currency')],
  ...under('Errors', [
    [
      'Tiers of an amount of zero are refused.',
      refuses('tiers', { 'amount.amount': '0.00' }, 422, 'INVALID_AMOUNT'),
    ],
    [
      'Tiers of an amount above every bound are refused.',
      refuses('tiers', { 'amount.amount': '900000000.00' }, 422, 'AMOUNT_TOO_HIGH'),
    ],
    [
      'Tiers of less than can be sent on the chain are refused.',
      refuses('tiers', { amount: { ...BTC, amount: '0.00000001' } }, 422, 'AMOUNT_TOO_LOW'),
    ],
  ]),
]);

// Payments: execution of quotes, members, states, what they cost.

const EXECUTE = 'PATCH /v1/payment-quotes/{id}/execute';
const EXECUTE_CALL = 'PATCH /v1/payment-quotes/{paymentQuoteId}/execute';
const READ = 'GET /v1/payments/{paymentId}';
const EURO = 'totalAmount.amount';

export const payments = section('payments', [
  ...under(EXECUTE, [
    ['Executing a quote answers 200 where the payment has ended.', answers('execute', 200)],
    ['The answer names the payment by a UUID.', has('executed', 'paymentId', uuid)],
    ['The answer has the Lightning part of the payment.', has('executed', 'lightning', object)],
    [
      'The Lightning part has the fee of the network.',
      has('executed', 'lightning.networkFee', moneyIn('EUR', 'BTC')),
    ],
    [
      'The answer of an on-chain quote has its on-chain part.',
      has('onchainPayment', 'onchain', object),
    ],
    ['A Lightning payment has no on-chain part.', has('payment', 'onchain', absentOrNull)],
    [
      'An on-chain payment has no Lightning part.',
      has('onchainPayment', 'lightning', absentOrNull),
    ],
  ]),
  [
    PUBLIC.payments,
    'An on-chain payment answers 202: it is PENDING.',
    gives(
      'onchainQuote',
      'PATCH /v1/payment-quotes/{paymentQuoteId}/execute',
      202,
      'state',
      'PENDING',
    ),
  ],
  [
    EXECUTE,
    'A quote that nothing has is not found.',
    unknown('PATCH /v1/payment-quotes/{id}/execute'),
  ],
  ['Errors', 'The refusal of a second execution names the payment of the first.', executesOnce()],
  ...under('Payment quote', [
    [
      'A quote is executed up to its end.',
      timelyExecution('lightningQuote', EXECUTE_CALL, 'validUntil', 200),
    ],
    [
      'Right after its end a quote is refused.',
      lateExecution('lightningQuote', EXECUTE_CALL, 'validUntil', 'PAYMENT_QUOTE_EXPIRED'),
    ],
  ]),
  ...under('GET /v1/payments/{id}', [
    [
      'A payment that is read is that of the execution.',
      reads('executed', READ, 'paymentId', 'state', 'amount', 'totalAmount'),
    ],
    ['An id that nothing has is not found.', unknown('GET /v1/payments/{id}')],
  ]),
  [PUBLIC.payments, 'There is no list of payments.', readsNothing('executed', 'GET /v1/payments')],
  ...under('Payment', [
    ['A Lightning payment that arrived is COMPLETED.', has('payment', 'state', 'COMPLETED')],
    ['A completed payment says when.', has('payment', 'completed', time)],
  ]),
  ...under(PUBLIC.payments, [
    [
      'What the receiver got is in the currency of the sender.',
      has('payment', 'amount', moneyIn('EUR')),
    ],
    [
      'What was spent is in the currency of the sender.',
      has('payment', 'totalAmount', moneyIn('EUR')),
    ],
    ['The fees are in the currency of the sender.', has('payment', 'totalFee', moneyIn('EUR'))],
    [
      'What was spent is what was received and the fees.',
      sums('payment', EURO, 'amount.amount', 'totalFee.amount'),
    ],
    ['The rate of a converted payment is told.', has('payment', 'conversionRate', rate())],
    ['A payment in bitcoin has no rate.', has('bitcoinPayment', 'conversionRate', absentOrNull)],
    [
      'A reward, if any, is money.',
      has('payment', 'reward', nullish(moneyIn('EUR', 'BTC', 'USD'))),
    ],
    [
      'The proof of a Lightning payment is 32 bytes as hex.',
      has('payment', 'lightning.preImage', nullish(hash)),
    ],
  ]),
  ...under('Payment', [
    [
      'The deprecated result of a completed payment is SUCCESS.',
      has('payment', 'result', 'SUCCESS'),
    ],
    [
      'The deprecated time of delivery is that of completion.',
      sameAs('payment', 'delivered', 'completed'),
    ],
    [
      'The deprecated network fee is that of the Lightning part.',
      sameAs('payment', 'lightningNetworkFee', 'lightning.networkFee'),
    ],
  ]),
  [
    PUBLIC.payments,
    'A payment that takes time is PENDING.',
    becomes('pendingPayment', 'state', 'PENDING'),
  ],
  ...under('Payment', [
    [
      'The deprecated result of a pending payment is PENDING.',
      has('pendingPayment', 'result', 'PENDING'),
    ],
    ['A pending payment was not completed yet.', has('pendingPayment', 'completed', absentOrNull)],
    ['A pending payment was not delivered yet.', has('pendingPayment', 'delivered', absentOrNull)],
  ]),
  [
    PUBLIC.payments,
    'A payment that did not arrive is FAILED.',
    becomes('failedPayment', 'state', 'FAILED'),
  ],
  [
    'Payment',
    'The deprecated result of a failed payment is FAILURE.',
    has('failedPayment', 'result', 'FAILURE'),
  ],
  ...under(PUBLIC.failedPayments, [
    ['A failed payment was never completed.', has('failedPayment', 'completed', absentOrNull)],
    ['A failed payment was never delivered.', has('failedPayment', 'delivered', absentOrNull)],
  ]),
  [
    'Payment',
    'An on-chain payment names its transaction, once there is one.',
    has('doneOnchainPayment', 'onchain.txnId', hash),
  ],
  ...under(PUBLIC.payments, [
    [
      'An on-chain payment is COMPLETED after its time.',
      has('doneOnchainPayment', 'state', 'COMPLETED'),
    ],
    [
      'An on-chain payment has no deprecated network fee.',
      has('doneOnchainPayment', 'lightningNetworkFee', absentOrNull),
    ],
    ['A completed payment took the sum from the balance.', costs('executed', 'EUR', EURO, -1)],
    ['A pending payment took the sum from what is free.', costs('pendingPayment', 'EUR', EURO, -1)],
    ['A failed payment took nothing.', costs('failedPayment', 'EUR', undefined, 0)],
  ]),
  [
    PUBLIC.paymentQuotes,
    'A quote alone takes nothing.',
    costs('lightningQuote', 'EUR', undefined, 0),
  ],
  [
    PUBLIC.payments,
    'An on-chain payment took the sum from what is free.',
    costs('onchainPayment', 'USD', EURO, -1),
  ],
]);

// Currency exchange quotes and rates.

const MAKE = 'POST /v1/currency-exchange-quotes';
const EXCHANGE_CALL = 'PATCH /v1/currency-exchange-quotes/{id}/execute';
const READ_EXCHANGE = 'GET /v1/currency-exchange-quotes/{id}';
const execute = (stage: Stage, values: object): Promise<Answer> =>
  stage.ask(EXCHANGE_CALL, { values });

export const exchanges = section('exchanges', [
  [MAKE, 'An exchange quote answers 200.', answers('exchange', 200)],
  ...under(PUBLIC.exchanges, [
    ['It has an id that is a UUID.', has('exchange', 'id', uuid)],
    ['It says when it was made.', has('exchange', 'created', time)],
    ['It says until when it holds.', has('exchange', 'validUntil', time)],
    ['Its end lies ahead.', within('exchange', 'validUntil', 1_000, 3_600_000)],
    ['It says what is sold.', has('exchange', 'source', moneyIn('USD'))],
    ['It says what is bought.', has('exchange', 'target', moneyIn('BTC'))],
  ]),
  ['Changelog 2023-11-03', 'It says its fee.', has('exchange', 'fee', money)],
  ...under(PUBLIC.exchanges, [
    [
      'Its rate leads from what is sold to what is bought.',
      has('exchange', 'conversionRate', rate('USD', 'BTC')),
    ],
    ['It is NEW.', becomes('exchange', 'state', 'NEW')],
    ['It is not completed yet.', has('exchange', 'completed', absentOrNull)],
  ]),
  [
    PUBLIC.digits,
    'What is bought in bitcoin has eight digits behind the point.',
    digits('exchange', 'target.amount', 8),
  ],
  ...under(PUBLIC.exchanges, [
    [
      'With INCLUSIVE what is sold is the amount.',
      has('exchange', 'source', { amount: '100.00', currency: 'USD' }),
    ],
    ['What is sold is required.', needs('exchange', 'sell')],
    ['What is bought is required.', needs('exchange', 'buy')],
    ['The amount is required.', needs('exchange', 'amount')],
    ['The number of the amount is required.', needs('exchange', 'amount.amount')],
    ['The currency of the amount is required.', needs('exchange', 'amount.currency')],
    [
      'The number of the amount is a decimal text.',
      refusesValue('exchange', 'amount.amount', 'all'),
    ],
    [
      'The amount is of what is sold or bought.',
      refuses('exchange', { 'amount.currency': 'EUR' }, 400, 'INVALID_DATA'),
    ],
    [
      'The amount may be of what is bought.',
      takes('exchange', { amount: { amount: '0.00100000', currency: 'BTC' } }, 'target', {
        amount: '0.00100000',
        currency: 'BTC',
      }),
    ],
    ['The policy can be left out.', optional('exchange', 'amount.feePolicy')],
    [
      'A policy that does not exist is refused.',
      refusesValue('exchange', 'amount.feePolicy', 'SOME'),
    ],
  ]),
  [
    'Errors',
    'A currency is not exchanged for itself.',
    refuses(
      'exchange',
      { sell: 'BTC', buy: 'BTC', amount: { amount: '0.1', currency: 'BTC' } },
      422,
      'CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED',
    ),
  ],
  [
    PUBLIC.exchanges,
    'A hundred satoshi are enough.',
    takes('exchange', { amount: { amount: '0.00000100', currency: 'BTC' } }),
  ],
  [
    'Changelog 2025-07-07',
    'Australian dollars can be bought.',
    takes('exchange', { buy: 'AUD' }, 'target.currency', 'AUD'),
  ],
  [
    'Changelog 2024-04-11',
    'Euros can be bought.',
    takes('exchange', { buy: 'EUR' }, 'target.currency', 'EUR'),
  ],
  [
    'Changelog 2024-06-12',
    'Pounds can be bought.',
    takes('exchange', { buy: 'GBP' }, 'target.currency', 'GBP'),
  ],
  [
    'Currencies',
    'Tethers can be bought.',
    takes('exchange', { buy: 'USDT' }, 'target.currency', 'USDT'),
  ],
  ...under(MAKE, [
    [
      'The refusal of a second quote of an idempotency key names the first.',
      once('exchange', 'DUPLICATE_CURRENCY_EXCHANGE_QUOTE', 'currencyExchangeQuoteId', 'id'),
    ],
    ['Without a key each request makes a quote.', newKeyNewQuote('exchange', undefined, 'id')],
  ]),
  ...under('GET /v1/currency-exchange-quotes/{id}', [
    [
      'A quote that is read is the one that was made.',
      reads(
        'exchange',
        READ_EXCHANGE,
        'id',
        'source',
        'target',
        'fee',
        'conversionRate',
        'validUntil',
      ),
    ],
    ['An id that nothing has is not found.', unknown('GET /v1/currency-exchange-quotes/{id}')],
  ]),
  [
    'PATCH /v1/currency-exchange-quotes/{id}/execute',
    'Executing answers 202.',
    gives('exchange', EXCHANGE_CALL, 202),
  ],
  [
    PUBLIC.exchanges,
    'The answer to an execution has no body.',
    gives('exchange', EXCHANGE_CALL, 202, '', absent),
  ],
  [
    'PATCH /v1/currency-exchange-quotes/{id}/execute',
    'A quote that nothing has is not executed: not found.',
    unknown(EXCHANGE_CALL),
  ],
  ...under(PUBLIC.exchanges, [
    ['An execution that is not over is PENDING.', becomes('pendingExchange', 'state', 'PENDING')],
    ['An execution that is over is COMPLETED.', becomes('doneExchange', 'state', 'COMPLETED')],
    ['A completed one says when.', has('doneExchange', 'completed', time)],
    ['An execution that did not succeed is FAILED.', becomes('failedExchange', 'state', 'FAILED')],
  ]),
  ...under('Errors', [
    [
      'A pending quote is not executed again.',
      on('pendingExchange', EXCHANGE_CALL, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED'),
    ],
    [
      'A completed quote is not executed again.',
      on('doneExchange', EXCHANGE_CALL, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED'),
    ],
    [
      'A failed quote is not executed again.',
      on('failedExchange', EXCHANGE_CALL, 422, 'CURRENCY_EXCHANGE_QUOTE_PROCESSED'),
    ],
  ]),
  ...under(PUBLIC.exchanges, [
    [
      'A quote is executed up to its end.',
      timelyExecution('exchange', EXCHANGE_CALL, 'validUntil', 202),
    ],
    [
      'Right after its end a quote is refused.',
      lateExecution('exchange', EXCHANGE_CALL, 'validUntil', 'CURRENCY_EXCHANGE_QUOTE_EXPIRED'),
    ],
    ['A quote that has expired keeps its state: there is none for it.', staysNew()],
  ]),
  ...under(PUBLIC.movements, [
    ['A quote alone takes nothing.', costs('exchange', 'USD', undefined, 0)],
    ['Executing takes what is sold.', pays('exchange', execute, 'USD', 'source.amount', -1)],
    [
      'A completed exchange gives what was bought.',
      costs('doneExchange', 'BTC', 'target.amount', 1),
    ],
    ['A failed exchange took nothing.', costs('failedExchange', 'USD', undefined, 0)],
  ]),
]);

export const rates = section('rates', [
  ['GET /v1/rates/ticker', 'Rates are a bare list.', has('ticker', '', array)],
  [
    PUBLIC.rates,
    'Each has a decimal text and two of the currencies.',
    has('ticker', '', arrayOf(rate())),
  ],
  ...under('GET /v1/rates/ticker', [
    ['There is a rate from bitcoin to dollars.', everyPair('BTC', 'USD')],
    ['There is a rate from dollars to bitcoin.', everyPair('USD', 'BTC')],
  ]),
  ['Changelog 2024-04-11', 'There is a rate of euros.', everyPair('BTC', 'EUR')],
  ['Changelog 2024-06-12', 'There is a rate of pounds.', everyPair('BTC', 'GBP')],
  ['Changelog 2025-07-07', 'There is a rate of Australian dollars.', everyPair('BTC', 'AUD')],
  ['Currencies', 'There is a rate of tethers.', everyPair('BTC', 'USDT')],
  ...under(PUBLIC.rateDigits, [
    ['Rates into a currency of a state have four digits behind the point.', ratesDigits('USD', 4)],
    ['Rates into bitcoin have eight digits behind the point.', ratesDigits('BTC', 8)],
  ]),
  [PUBLIC.rates, 'No rate leads from a currency to itself.', everyPair('USD', 'USD', false)],
]);
