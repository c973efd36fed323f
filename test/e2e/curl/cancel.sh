#!/usr/bin/env bash
# An invoice that another account issued is cancelled by the one that would get the money; a third one cannot.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/others.sh"

ask POST /v1/invoices/handle/cafe '{"amount":{"amount":"5.00","currency":"EUR"}}'
is 201 invoiceId "$ID" state UNPAID
invoice=$(get invoiceId)
ask POST "/v1/invoices/$invoice/quote"
is 201 quoteId "$ID"
text=$(get lnInvoice)
as bank PATCH "/v1/invoices/$invoice/cancel"
is 404 data.code NOT_FOUND
as cafe PATCH "/v1/invoices/$invoice/cancel"
is 200 state CANCELLED
ask GET "/v1/invoices/$invoice"
is 200 state CANCELLED
ask PATCH "/v1/invoices/$invoice/cancel"
is 422 data.code INVALID_STATE_FOR_INVOICE_CANCELLED
send POST /_sandbox/pay "{\"target\":\"$text\"}" -H 'x-paystate-control: 1'
is 422 code INVALID_STATE_FOR_INVOICE_CANCELLED
for handle in shop cafe; do
  as "$handle" GET "/v1/events?%24filter=eventType%20eq%20'invoice.updated'"
  is 200 count 1 items.0.data.entityId "$invoice"
done

ask POST /v1/invoices/handle/cafe '{"amount":{"amount":"5.00","currency":"EUR"}}'
invoice=$(get invoiceId)
control pay "{\"target\":\"$invoice\",\"pendingFor\":60000,\"wait\":false}"
as cafe PATCH "/v1/invoices/$invoice/cancel"
is 422 data.code PROCESSING_PAYMENT
control advance '{"duration":60000}'
as cafe PATCH "/v1/invoices/$invoice/cancel"
is 422 data.code INVALID_STATE_FOR_INVOICE_PAID
passed
