#!/usr/bin/env bash
# An account under the travel rule says where its payments go; the others need not. And a key of it is revoked.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/others.sh"

control bolt11 '{"sat":"2100"}'
text=$(get lnInvoice)
draft() { echo "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"${1:+,\"beneficiary\":$1}}"; }
as bank POST /v1/payment-quotes/lightning "$(draft)" "$(uuid)"
is 400 data.code INVALID_DATA 'data.validationErrors' '/"beneficiary.destinationType":\[\{"code":"INVALID_DATA_REQUIRED"/'
as bank POST /v1/payment-quotes/lightning "$(draft '{"type":"INDIVIDUAL","individualFirstName":"Ada","individualLastName":"Example"}')" "$(uuid)"
is 400 data.code INVALID_DATA
as bank POST /v1/payment-quotes/lightning "$(draft '{"type":"INDIVIDUAL","individualFirstName":"Ada","individualLastName":"Example","destinationType":"SELF_CUSTODY_WALLET"}')" "$(uuid)"
is 200 paymentQuoteId "$ID"
as bank PATCH "/v1/payment-quotes/$(get paymentQuoteId)/execute"
is 200 state COMPLETED
control bolt11 '{"sat":"2100"}'
text=$(get lnInvoice)
ask POST /v1/payment-quotes/lightning "$(draft)" "$(uuid)"
is 200 paymentQuoteId "$ID"

control keys '{"account":"bank","scopes":["partner.balances.read"]}'
reader=$(get apiKey)
KEY=$reader ask GET /v1/balances
is 200
KEY=$reader ask GET /v1/invoices
is 403 data.code FORBIDDEN
control revoke "{\"apiKey\":\"$reader\"}"
KEY=$reader ask GET /v1/balances
is 401 data.code UNAUTHORIZED
as bank GET /v1/balances
is 200
passed
