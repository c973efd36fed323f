#!/usr/bin/env bash
# One account pays another inside the service: a receive request, and an invoice in another currency.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/others.sh"

as cafe POST /v1/receive-request '{"bolt11":{"amount":{"amount":"5.00","currency":"EUR"}},"targetCurrency":"EUR"}'
is 201 receiveRequestId "$ID" bolt11.invoice '/^lntb/'
request=$(get receiveRequestId) text=$(get bolt11.invoice)
before=$(free cafe EUR)
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"USD\"}" "$(uuid)"
is 200 amount.currency USD totalFee.amount 0.00
ask PATCH "/v1/payment-quotes/$(get paymentQuoteId)/execute"
is 200 state COMPLETED paymentId "$ID"
payment=$(get paymentId)
as cafe GET "/v1/receive-requests/$request/receives"
is 200 items.0.state COMPLETED items.0.type P2P items.0.amountCredited.currency EUR items.1 -
same 'what came is there' "$(plus "$before" "$(get items.0.amountCredited.amount)")" "$(free cafe EUR)"
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"USD\"}" "$(uuid)"
is 422 data.code LN_INVOICE_PROCESSED

as cafe POST /v1/invoices '{"amount":{"amount":"7.00","currency":"EUR"},"description":"Lunch"}'
invoice=$(get invoiceId)
as cafe POST "/v1/invoices/$invoice/quote"
text=$(get lnInvoice)
as cafe POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"}" "$(uuid)"
is 422 data.code SELF_PAYMENT_NOT_ALLOWED
before=$(free shop EUR)
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"}" "$(uuid)"
is 200 description Lunch totalAmount.amount 7.00
ask PATCH "/v1/payment-quotes/$(get paymentQuoteId)/execute"
is 200 state COMPLETED
same 'what was paid is gone' "$before" "$(plus 7.00 "$(free shop EUR)")"
as cafe GET "/v1/invoices/$invoice"
is 200 state PAID
as cafe GET "/v1/payments/$payment"
is 404 data.code NOT_FOUND
passed
