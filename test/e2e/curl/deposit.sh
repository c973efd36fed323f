#!/usr/bin/env bash
# Dollars come from a bank, once for a key.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/bank.sh"

draft="{\"paymentMethodId\":\"$METHOD\",\"amount\":\"50.00\"}" key=$(uuid)
ask POST /v1/deposits/fee "$draft"
is 200 amount.amount 50.00 fee.currency USD
total=$(get total.amount)
ask POST /v1/deposits "$draft" "$key"
is 200 id "$ID" totalAmount.amount "$total"
deposit=$(get id)
ask POST /v1/deposits "$draft" "$key"
is 422 data.code DUPLICATE_DEPOSIT data.values.depositId "$deposit"
control advance '{"duration":604800000}'
ask GET "/v1/deposits/$deposit"
is 200 state COMPLETED
ask GET /v1/balances
same 'dollars that came' 10050.00 "$(node -p 'JSON.parse(process.argv[1]).find(({ currency }) => currency === "USD").available' "$BODY")"
ask GET /v1/deposits
is 200 count 1 items.0.id "$deposit"
passed
