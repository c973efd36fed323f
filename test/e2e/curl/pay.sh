#!/usr/bin/env bash
# The account pays somebody outside: over Lightning, by a Lightning address, on the chain.
. "$(dirname "$0")/ask.sh"

free() { ask GET /v1/balances; node -e 'console.log(JSON.parse(require("fs").readFileSync(0, "utf8")).find(({ currency }) => currency === process.argv[1]).available)' "$1" <<<"$BODY"; }

control bolt11 '{"sat":"2100","description":"Tea"}'
text=$(get lnInvoice) key=$(uuid)
before=$(free EUR)
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"}" "$key"
is 200 paymentQuoteId "$ID" description Tea amount.currency EUR totalAmount.currency EUR conversionRate.sourceCurrency BTC
quote=$(get paymentQuoteId) total=$(get totalAmount.amount)
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"}" "$key"
is 422 data.code DUPLICATE_PAYMENT_QUOTE data.values.paymentQuoteId "$quote"
ask PATCH "/v1/payment-quotes/$quote/execute"
is 200 paymentId "$ID" totalAmount.amount "$total"
payment=$(get paymentId)
control advance '{"duration":10000}'
ask GET "/v1/payments/$payment"
is 200 state COMPLETED completed "$TIME" lightning.preImage '/^[0-9a-f]{64}$/'
same 'what was spent is gone' "$(node -p '((a, b) => ((BigInt(a.replace(".", "")) - BigInt(b.replace(".", ""))) + ""))(...process.argv.slice(1))' "$before" "$total")" "$(free EUR | tr -d .)"
ask PATCH "/v1/payment-quotes/$quote/execute"
is 422 data.code PAYMENT_PROCESSED data.values.paymentId "$payment"
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$text\",\"sourceCurrency\":\"EUR\"}" "$(uuid)"
is 422 data.code LN_INVOICE_PROCESSED

control bolt11 '{"sat":"2100","route":"none"}'
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$(get lnInvoice)\",\"sourceCurrency\":\"EUR\"}" "$(uuid)"
is 422 data.code LN_ROUTE_NOT_FOUND
control bolt11 '{"sat":"2100","network":"mainnet"}'
ask POST /v1/payment-quotes/lightning "{\"lnInvoice\":\"$(get lnInvoice)\",\"sourceCurrency\":\"EUR\"}" "$(uuid)"
is 422 data.code INVALID_LN_INVOICE

ask GET /v1/payment-quotes/lightning/lnurl/ada%40wallet.example
is 200 tag payRequest commentAllowed 120 minSendable 1000
ask POST /v1/payment-quotes/lightning/lnurl '{"lnAddressOrUrl":"ada@wallet.example","sourceCurrency":"USD","amount":{"amount":"3.00","currency":"USD"},"description":"thanks"}' "$(uuid)"
is 200 paymentQuoteId "$ID" amount.amount 3.00
ask PATCH "/v1/payment-quotes/$(get paymentQuoteId)/execute"
is 200 state COMPLETED

control address
address=$(get btcAddress) amount='{"amount":"0.00500000","currency":"BTC"}'
ask POST /v1/payment-quotes/onchain/tiers "{\"btcAddress\":\"$address\",\"amount\":$amount}"
is 200 0.estimatedFee.currency BTC
ask POST /v1/payment-quotes/onchain "{\"btcAddress\":\"$address\",\"sourceCurrency\":\"BTC\",\"amount\":$amount,\"onchainTierId\":\"$(get 0.id)\"}" "$(uuid)"
quote=$(get paymentQuoteId)
is 200 paymentQuoteId "$ID" amount.amount 0.00500000
ask PATCH "/v1/payment-quotes/$quote/execute"
payment=$(get paymentId)
is 202 state PENDING
control move "{\"subject\":\"payment\",\"id\":\"$payment\",\"state\":\"FAILED\"}"
ask GET "/v1/payments/$payment"
is 200 state FAILED
same 'a payment that failed gives everything back' 1.00000000 "$(free BTC)"
passed
