// What is published of each operation, written down without a look at the rows: name, request, success, scope, way of repeating, limit.
const TABLE = `
accounts.findLimits              GET /v1/accounts/limits                            200 account.profile.read-own          read           others
accounts.findProfile             GET /v1/accounts/{}/profile                        200 account.profile.read              read           others
accounts.findProfileByHandle     GET /v1/accounts/handle/{}/profile                 200 account.profile.read              read           others
balances.list                    GET /v1/balances                                   200 balances.read                     read           others
bankPaymentMethods.create        POST /v1/payment-methods/bank                      201 payment-method.bank.create        once           others
bankPaymentMethods.find          GET /v1/payment-methods/bank/{}                    200 payment-method.bank.read          read           others
bankPaymentMethods.list          GET /v1/payment-methods/bank                       200 payment-method.bank.read          read           others
bankPaymentMethods.remove        DELETE /v1/payment-methods/bank/{}                 204 payment-method.bank.delete        converge       others
currencyExchangeQuotes.create    POST /v1/currency-exchange-quotes                  200 currency-exchange-quote.create    key-read       others
currencyExchangeQuotes.execute   PATCH /v1/currency-exchange-quotes/{}/execute      202 currency-exchange-quote.execute   by-id          others
currencyExchangeQuotes.find      GET /v1/currency-exchange-quotes/{}                200 currency-exchange-quote.read      read           others
deposits.create                  POST /v1/deposits                                  200 deposit.manage                    key-read-money others
deposits.estimateFee             POST /v1/deposits/fee                              200 deposit.manage                    pure           others
deposits.find                    GET /v1/deposits/{}                                200 deposit.manage                    read           others
deposits.list                    GET /v1/deposits                                   200 deposit.manage                    read           others
events.find                      GET /v1/events/{}                                  200 webhooks.manage                   read           others
events.list                      GET /v1/events                                     200 webhooks.manage                   read           others
invoices.cancel                  PATCH /v1/invoices/{}/cancel                       200 invoice.cancel                    by-id          others
invoices.create                  POST /v1/invoices                                  201 invoice.create                    own-id         invoices
invoices.createFor               POST /v1/invoices/handle/{}                        201 invoice.create-for-receiver       own-id         invoices
invoices.find                    GET /v1/invoices/{}                                200 invoice.read                      read           others
invoices.list                    GET /v1/invoices                                   200 invoice.read                      read           others
invoices.quote                   POST /v1/invoices/{}/quote                         201 invoice.quote.generate            pure           invoice-quotes
paymentQuotes.createLightning    POST /v1/payment-quotes/lightning                  200 payment-quote.lightning.create    key-blind      payment-quotes
paymentQuotes.createLnurl        POST /v1/payment-quotes/lightning/lnurl            200 payment-quote.lightning.create    key-blind      payment-quotes
paymentQuotes.createOnchain      POST /v1/payment-quotes/onchain                    200 payment-quote.onchain.create      key-blind      payment-quotes
paymentQuotes.execute            PATCH /v1/payment-quotes/{}/execute                200 payment-quote.execute             by-id          execute
paymentQuotes.findLnurl          GET /v1/payment-quotes/lightning/lnurl/{}          200 payment-quote.lightning.create    read           others
paymentQuotes.listTiers          POST /v1/payment-quotes/onchain/tiers              200 payment-quote.onchain.create      pure           others
payments.find                    GET /v1/payments/{}                                200 payment.read                      read           others
payoutOriginators.create         POST /v1/payout-originators                        201 payout-originator.create          once           others
payoutOriginators.find           GET /v1/payout-originators/{}                      200 payout-originator.read            read           others
payoutOriginators.list           GET /v1/payout-originators                         200 payout-originator.read            read           others
payoutOriginators.remove         DELETE /v1/payout-originators/{}                   204 payout-originator.delete          converge       others
payouts.create                   POST /v1/payouts                                   201 payout.create                     once           others
payouts.find                     GET /v1/payouts/{}                                 200 payout.read                       read           others
payouts.initiate                 PATCH /v1/payouts/{}/initiate                      200 payout.initiate                   by-id          others
payouts.list                     GET /v1/payouts                                    200 payout.read                       read           others
rates.list                       GET /v1/rates/ticker                               200 rates.ticker                      read           rates
receiveRequests.create           POST /v1/receive-request                           201 receive-request.create            once           others
receiveRequests.find             GET /v1/receive-requests/{}                        200 receive-request.read              read           others
receiveRequests.list             GET /v1/receive-requests                           200 receive-request.read              read           others
receiveRequests.listAllReceives  GET /v1/receive-requests/receives                  200 receive-request.read              read           others
receiveRequests.listReceives     GET /v1/receive-requests/{}/receives               200 receive-request.read              read           others
subscriptions.create             POST /v1/subscriptions                             201 webhooks.manage                   once           others
subscriptions.find               GET /v1/subscriptions/{}                           200 webhooks.manage                   read           others
subscriptions.list               GET /v1/subscriptions                              200 webhooks.manage                   read           others
subscriptions.remove             DELETE /v1/subscriptions/{}                        204 webhooks.manage                   converge       others
subscriptions.update             PATCH /v1/subscriptions/{}                         200 webhooks.manage                   converge       others
`;

export const published: readonly string[] = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/\s+/).join(' '));
