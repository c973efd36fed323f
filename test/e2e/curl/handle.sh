#!/usr/bin/env bash
# An invoice for another account, by its handle: one issues it, the other one gets the money. And its Lightning address.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/others.sh"

ask GET /v1/accounts/handle/cafe/profile
is 200 handle cafe canReceive true
cafe=$(get id)
ask POST /v1/invoices/handle/nobody '{"amount":{"amount":"5.00","currency":"EUR"}}'
is 404 data.code NOT_FOUND
ask POST /v1/invoices/handle/cafe '{"amount":{"amount":"5.00","currency":"USD"}}'
is 422 data.code USER_CURRENCY_UNAVAILABLE
ask POST /v1/invoices/handle/cafe '{"amount":{"amount":"5.00","currency":"EUR"},"correlationId":"table-4"}'
is 201 invoiceId "$ID" state UNPAID receiverId "$cafe" correlationId table-4
invoice=$(get invoiceId)
before=$(free cafe EUR)
control pay "{\"target\":\"$invoice\"}"
ask GET "/v1/invoices/$invoice"
is 200 state PAID
as cafe GET "/v1/invoices/$invoice"
is 200 state PAID receiverId "$cafe"
same 'the other one has the money' "$(plus "$before" 5.00)" "$(free cafe EUR)"
as bank GET "/v1/invoices/$invoice"
is 404 data.code NOT_FOUND

ask POST /v1/payment-quotes/lightning/lnurl "{\"lnAddressOrUrl\":\"cafe@sandbox.invalid\",\"sourceCurrency\":\"EUR\",\"amount\":{\"amount\":\"3.00\",\"currency\":\"EUR\"}}" "$(uuid)"
is 200 paymentQuoteId "$ID" totalAmount.amount 3.00
ask PATCH "/v1/payment-quotes/$(get paymentQuoteId)/execute"
is 200 state COMPLETED
same 'the address is the same account' "$(plus "$before" 8.00)" "$(free cafe EUR)"
passed
