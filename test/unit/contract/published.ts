// What is published of each operation, written down without a look at the rows: name, request, success, scope, way of repeating, limit.
const TABLE = `
accounts.getLimits              GET /v1/accounts/limits                            200 account.profile.read-own          safe                others
accounts.getProfile             GET /v1/accounts/{}/profile                        200 account.profile.read              safe                others
accounts.getProfileByHandle     GET /v1/accounts/handle/{}/profile                 200 account.profile.read              safe                others
balances.list                    GET /v1/balances                                   200 balances.read                     safe                others
bankPaymentMethods.create        POST /v1/payment-methods/bank                      201 payment-method.bank.create        none                others
bankPaymentMethods.get          GET /v1/payment-methods/bank/{}                    200 payment-method.bank.read          safe                others
bankPaymentMethods.list          GET /v1/payment-methods/bank                       200 payment-method.bank.read          safe                others
bankPaymentMethods.remove        DELETE /v1/payment-methods/bank/{}                 204 payment-method.bank.delete        convergent          others
currencyExchangeQuotes.create    POST /v1/currency-exchange-quotes                  200 currency-exchange-quote.create    key-then-read       others
currencyExchangeQuotes.execute   PATCH /v1/currency-exchange-quotes/{}/execute      202 currency-exchange-quote.execute   same-request        others
currencyExchangeQuotes.get      GET /v1/currency-exchange-quotes/{}                200 currency-exchange-quote.read      safe                others
deposits.create                  POST /v1/deposits                                  200 deposit.manage                    key-then-read-money others
deposits.estimateFee             POST /v1/deposits/fee                              200 deposit.manage                    pure                others
deposits.get                    GET /v1/deposits/{}                                200 deposit.manage                    safe                others
deposits.list                    GET /v1/deposits                                   200 deposit.manage                    safe                others
events.get                      GET /v1/events/{}                                  200 webhooks.manage                   safe                others
events.list                      GET /v1/events                                     200 webhooks.manage                   safe                others
invoices.cancel                  PATCH /v1/invoices/{}/cancel                       200 invoice.cancel                    same-request        others
invoices.create                  POST /v1/invoices                                  201 invoice.create                    client-id           invoices
invoices.createFor               POST /v1/invoices/handle/{}                        201 invoice.create-for-receiver       client-id           invoices
invoices.get                    GET /v1/invoices/{}                                200 invoice.read                      safe                others
invoices.list                    GET /v1/invoices                                   200 invoice.read                      safe                others
invoices.quote                   POST /v1/invoices/{}/quote                         201 invoice.quote.generate            pure                invoice-quotes
paymentQuotes.createLightning    POST /v1/payment-quotes/lightning                  200 payment-quote.lightning.create    key-only            payment-quotes
paymentQuotes.createLnurl        POST /v1/payment-quotes/lightning/lnurl            200 payment-quote.lightning.create    key-only            payment-quotes
paymentQuotes.createOnchain      POST /v1/payment-quotes/onchain                    200 payment-quote.onchain.create      key-only            payment-quotes
paymentQuotes.execute            PATCH /v1/payment-quotes/{}/execute                200 payment-quote.execute             same-request        execute
paymentQuotes.getLnurl          GET /v1/payment-quotes/lightning/lnurl/{}          200 payment-quote.lightning.create    safe                others
paymentQuotes.listTiers          POST /v1/payment-quotes/onchain/tiers              200 payment-quote.onchain.create      pure                others
payments.get                    GET /v1/payments/{}                                200 payment.read                      safe                others
payoutOriginators.create         POST /v1/payout-originators                        201 payout-originator.create          none                others
payoutOriginators.get           GET /v1/payout-originators/{}                      200 payout-originator.read            safe                others
payoutOriginators.list           GET /v1/payout-originators                         200 payout-originator.read            safe                others
payoutOriginators.remove         DELETE /v1/payout-originators/{}                   204 payout-originator.delete          convergent          others
payouts.create                   POST /v1/payouts                                   201 payout.create                     none                others
payouts.get                     GET /v1/payouts/{}                                 200 payout.read                       safe                others
payouts.initiate                 PATCH /v1/payouts/{}/initiate                      200 payout.initiate                   same-request        others
payouts.list                     GET /v1/payouts                                    200 payout.read                       safe                others
rates.list                       GET /v1/rates/ticker                               200 rates.ticker                      safe                rates
receiveRequests.create           POST /v1/receive-request                           201 receive-request.create            none                others
receiveRequests.get             GET /v1/receive-requests/{}                        200 receive-request.read              safe                others
receiveRequests.list             GET /v1/receive-requests                           200 receive-request.read              safe                others
receiveRequests.listAllReceives  GET /v1/receive-requests/receives                  200 receive-request.read              safe                others
receiveRequests.listReceives     GET /v1/receive-requests/{}/receives               200 receive-request.read              safe                others
subscriptions.create             POST /v1/subscriptions                             201 webhooks.manage                   none                others
subscriptions.get               GET /v1/subscriptions/{}                           200 webhooks.manage                   safe                others
subscriptions.list               GET /v1/subscriptions                              200 webhooks.manage                   safe                others
subscriptions.remove             DELETE /v1/subscriptions/{}                        204 webhooks.manage                   convergent          others
subscriptions.update             PATCH /v1/subscriptions/{}                         200 webhooks.manage                   convergent          others
`;

export const published: readonly string[] = TABLE.trim()
  .split('\n')
  .map((line) => line.split(/\s+/).join(' '));

export const publishedNames: readonly string[] = published.map((line) => line.split(' ')[0]!);
