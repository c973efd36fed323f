import { CONTROL_HEADER } from '../sandbox/host/control.ts';

/** What the program imports, as it writes it. */
const PACKAGE = "'paystate'";

/** What the user of a new sandbox can paste: an invoice that is made and paid. */
export function nextSteps(url: string, apiKey: string): readonly string[] {
  return `
Next, in another terminal:
  # a shell: an invoice for 12.50 EUR, and somebody who pays it
  export PAYSTATE_BASE_URL=${url} PAYSTATE_API_KEY=${apiKey}
  invoice=$(curl -s -X POST -H "authorization: Bearer $PAYSTATE_API_KEY" -H 'content-type: application/json' \\
    -d '{"amount":{"amount":"12.50","currency":"EUR"}}' $PAYSTATE_BASE_URL/v1/invoices | sed 's/.*"invoiceId":"\\([^"]*\\).*/\\1/')
  curl -s -X POST -H '${CONTROL_HEADER}: 1' -d "{\\"target\\":\\"$invoice\\"}" $PAYSTATE_BASE_URL/_sandbox/pay
  curl -s -H "authorization: Bearer $PAYSTATE_API_KEY" $PAYSTATE_BASE_URL/v1/invoices/$invoice

  # JavaScript: the same invoice, watched
  import { createClient, waitUntilSettled, watchInvoice } from ${PACKAGE};
  const { PAYSTATE_BASE_URL: baseUrl, PAYSTATE_API_KEY: apiKey } = process.env;
  const client = createClient({ baseUrl, apiKey });
  const invoice = await client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } });
  const { snapshot } = await waitUntilSettled(watchInvoice(client, invoice), { timeout: 60_000 });
  console.log(snapshot.value.state);

  # and the other commands, with the same two variables
  paystate doctor
  paystate tail`.split('\n');
}
