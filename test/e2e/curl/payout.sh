#!/usr/bin/env bash
# Dollars go to a bank, and come back once.
. "$(dirname "$0")/ask.sh"
. "$(dirname "$0")/bank.sh"

ask POST /v1/payout-originators "$PERSON"
is 201 id "$ID" state PENDING_REVIEW details.name 'Ada Example'
originator=$(get id)
draft="{\"paymentMethodId\":\"$METHOD\",\"amount\":\"50.00\",\"originatorId\":\"$originator\",\"reference\":\"rent\"}"
control move "{\"subject\":\"payoutOriginator\",\"id\":\"$originator\",\"state\":\"APPROVED\"}"
ask GET "/v1/payout-originators/$originator"
is 200 state APPROVED

ask POST /v1/payouts "$draft"
is 201 id "$ID" state NEW amount.amount 50.00 amount.currency USD reference rent
payout=$(get id)
ask PATCH "/v1/payouts/$payout/initiate"
is 200 state INITIATED initiated "$TIME"
ask PATCH "/v1/payouts/$payout/initiate"
is 422 data.code PAYOUT_ALREADY_INITIATED
control advance '{"duration":10000}'
ask GET "/v1/payouts/$payout"
is 200 state COMPLETED completed "$TIME"
control move "{\"subject\":\"payout\",\"id\":\"$payout\",\"state\":\"REVERSED\"}"
ask GET "/v1/payouts/$payout"
is 200 state REVERSED

control faults '{"subject":"payout","state":"FAILED","delay":1000}'
ask POST /v1/payouts "$draft"
failing=$(get id)
ask PATCH "/v1/payouts/$failing/initiate"
control advance '{"duration":10000}'
ask GET "/v1/payouts/$failing"
is 200 state FAILED
ask GET '/v1/payouts?%24top=1'
is 200 count 2 items.0.id "$failing" items.1 -
passed
