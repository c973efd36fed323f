#!/usr/bin/env bash
# Somebody pays an invoice, and a receive request on both rails.
. "$(dirname "$0")/ask.sh"

ask POST /v1/invoices '{"correlationId":"order-7","description":"Tea","amount":{"amount":"12.5","currency":"EUR"}}'
is 201 invoiceId "$ID" state UNPAID amount.amount 12.50 amount.currency EUR correlationId order-7 description Tea created "$TIME"
invoice=$(get invoiceId)
ask POST /v1/invoices '{"correlationId":"order-7","amount":{"amount":"12.50","currency":"EUR"}}'
is 409 data.code DUPLICATE_INVOICE data.values.correlationId order-7 traceId '/^[0-9a-f]{32}$/'
ask GET "/v1/invoices?%24filter=correlationId%20eq%20'order-7'"
is 200 count 1 items.0.invoiceId "$invoice"

ask POST "/v1/invoices/$invoice/quote"
is 201 targetAmount.amount 12.50 targetAmount.currency EUR sourceAmount.currency BTC expirationInSec 30 lnInvoice '/^lntb/'
text=$(get lnInvoice)
control pay "{\"target\":\"$text\"}"
is 200 preimage '/^[0-9a-f]{64}$/'
same 'the hash of the preimage' "$(get paymentHash)" "$(node -p 'crypto.createHash("sha256").update(Buffer.from(process.argv[1], "hex")).digest("hex")' "$(get preimage)")"
ask GET "/v1/invoices/$invoice?includeTransactions=true"
is 200 state PAID transactions.0.state COMPLETED transactions.0.amountReceived.amount 12.50
ask PATCH "/v1/invoices/$invoice/cancel"
is 422 data.code INVALID_STATE_FOR_INVOICE_PAID

ask POST /v1/receive-request '{"bolt11":{"amount":{"amount":"5.00","currency":"USD"}},"onchain":{},"targetCurrency":"USD"}'
is 201 receiveRequestId "$ID" bolt11.invoice '/^lntb/' bolt11.requestedAmount.amount 5.00 onchain.address '/^tb1/'
request=$(get receiveRequestId) bolt11=$(get bolt11.invoice) address=$(get onchain.address)
control pay "{\"target\":\"$bolt11\"}"
ask GET "/v1/receive-requests/$request/receives"
is 200 items.0.state COMPLETED items.0.type LIGHTNING items.0.amountCredited.amount '/^(4[.]9[0-9]|5[.]0[0-9])$/' items.0.amountCredited.currency USD items.1 -
control pay "{\"target\":\"$address\",\"amount\":\"0.00100000\",\"pendingFor\":0}"
ask GET "/v1/receive-requests/$request/receives"
is 200 items.0.type ONCHAIN items.0.amountReceived.amount 0.00100000 items.0.amountReceived.currency BTC items.1.type LIGHTNING

ask GET '/v1/events?%24orderby=created%20asc'
is 200 items.0.eventType invoice.created items.0.data.entityId "$invoice" items.1.eventType invoice.updated items.2.eventType invoice.updated
ask GET '/v1/invoices?%24filter=colour%20eq%20%27red%27'
is 400 data.code INVALID_DATA_QUERY
passed
