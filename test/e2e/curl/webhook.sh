#!/usr/bin/env bash
# A receiver that checks each signature with what Node has; refuses the first webhook, and gets it again.
. "$(dirname "$0")/ask.sh"
SECRET=a-secret-of-30-characters-long
heard=$(mktemp)
coproc RECEIVER { exec node -e '
  const { createHmac } = require("crypto"), { appendFileSync } = require("fs");
  const [secret, heard] = process.argv.slice(1);
  let count = 0;
  require("http").createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isSigned = createHmac("sha256", secret).update(body).digest("hex").toUpperCase() === incoming.headers["x-webhook-signature"];
    const { id, eventType } = JSON.parse(body);
    appendFileSync(heard, `${isSigned} ${eventType} ${id}\n`);
    outgoing.writeHead(++count === 1 ? 500 : 204).end();
  }).listen(0, "127.0.0.1", function () { console.log(this.address().port); });' "$SECRET" "$heard"; }
receiver=$RECEIVER_PID
trap 'kill "$receiver" 2>/dev/null || true; rm -f "$heard"' EXIT
read -r port <&"${RECEIVER[0]}"

ask POST /v1/subscriptions "{\"webhookUrl\":\"http://127.0.0.1:$port/hooks\",\"webhookVersion\":\"v1\",\"secret\":\"$SECRET\",\"enabled\":true,\"eventTypes\":[\"invoice.created\",\"invoice.updated\"]}"
is 201 id "$ID" enabled true secret -
subscription=$(get id)
ask POST /v1/invoices '{"amount":{"amount":"12.50","currency":"EUR"}}'
invoice=$(get invoiceId)
control pay "{\"target\":\"$invoice\"}"
control advance '{"duration":60000}'

same 'webhooks' 4 "$(wc -l <"$heard" | tr -d ' ')"
same 'signatures that are right' 4 "$(grep -c '^true ' "$heard")"
same 'the one that was refused came twice' "$(head -1 "$heard")" "$(tail -1 "$heard")"
same 'kinds' 'invoice.created invoice.updated' "$(cut -d' ' -f2 "$heard" | sort -u | tr '\n' ' ' | sed 's/ $//')"
ask GET '/v1/events?%24filter=deliverySuccess%20eq%20true'
is 200 count 3
ask GET "/v1/subscriptions/$subscription"
is 200 secret -
ask DELETE "/v1/subscriptions/$subscription"
is 204
ask POST /v1/invoices '{"amount":{"amount":"1.00","currency":"EUR"}}'
control advance '{"duration":1}'
same 'nothing more comes' 4 "$(wc -l <"$heard" | tr -d ' ')"
passed
