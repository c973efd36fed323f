#!/usr/bin/env bash
# Euros become dollars, once, at the rate of a quote that ends.
. "$(dirname "$0")/ask.sh"

draft='{"sell":"EUR","buy":"USD","amount":{"amount":"100.00","currency":"EUR"}}' key=$(uuid)
ask POST /v1/currency-exchange-quotes "$draft" "$key"
is 200 id "$ID" state NEW source.amount 100.00 source.currency EUR target.currency USD conversionRate.sourceCurrency EUR validUntil "$TIME"
quote=$(get id) bought=$(get target.amount)
ask POST /v1/currency-exchange-quotes "$draft" "$key"
is 422 data.code DUPLICATE_CURRENCY_EXCHANGE_QUOTE data.values.currencyExchangeQuoteId "$quote"
ask PATCH "/v1/currency-exchange-quotes/$quote/execute"
is 202
control advance '{"duration":10000}'
ask GET "/v1/currency-exchange-quotes/$quote"
is 200 state COMPLETED completed "$TIME" target.amount "$bought"
ask PATCH "/v1/currency-exchange-quotes/$quote/execute"
is 422 data.code CURRENCY_EXCHANGE_QUOTE_PROCESSED
ask GET /v1/balances
same 'dollars that were bought' "$(node -p 'String(BigInt(process.argv[1].replace(".", "")) + 1000000n)' "$bought")" \
  "$(node -p 'JSON.parse(process.argv[1]).find(({ currency }) => currency === "USD").available.replace(".", "")' "$BODY")"

ask POST /v1/currency-exchange-quotes "$draft" "$(uuid)"
late=$(get id)
control advance '{"duration":86400000}'
ask PATCH "/v1/currency-exchange-quotes/$late/execute"
is 422 data.code CURRENCY_EXCHANGE_QUOTE_EXPIRED
ask GET "/v1/events?%24filter=eventType%20eq%20'currency-exchange-quote.updated'"
is 200 count 2 items.0.data.entityId "$quote"
passed
