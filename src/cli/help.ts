import { CONTROL_HEADER } from '../sandbox/host/control.ts';

/** What `paystate --help` prints. */
export const helpText: string = `paystate: payments that say what is true now

  paystate sandbox [options]   the whole service on this machine, with no account
  paystate torture URL         tries a receiver of webhooks and names its mistakes; see paystate torture --help
  paystate --version
  paystate --help

paystate sandbox
  --port N          port on 127.0.0.1; any free one
  --seed S          the same seed makes the same key, ids and rates; 1
  --state FILE      keeps everything there, so that the next start goes on with it; for one sandbox at a time
  --rate-limits NAME
                    rate table: production or test; production
  --accounts FILE   a JSON list of accounts, each with a handle, and what else it needs; one with the handle shop
  --strict          a response that rests on an assumption is 422 SANDBOX_ASSUMPTION, which names it
  --assume ID       with --strict: lets this assumption pass; may be repeated
  --allow-host H    webhooks may go to this host too; only to this machine else; may be repeated

It prints its address and a key of each account, and ends with Ctrl-C. At its address is a page that shows everything.
Without --state nothing is kept.

Control, below /_sandbox/ (JSON; every request needs the header ${CONTROL_HEADER}: 1; no other page may ask)
  POST   pay         {"target": invoice id, quote id, BOLT11, address or bitcoin: URI, "pendingFor": ms, "fails": true,
                      "wait": false}: with it the response does not wait for the payment's end
  POST   bolt11      {"sat": "2100", "description": …}: a BOLT11 of an outside node, for your payments
  POST   address     an outside address
  POST   reverse     {"invoiceId": …}
  POST   move        {"subject": "invoice", "id": …, "state": …}: what only the world outside does
  POST   fund        {"account": handle, "amount": "100.00", "currency": "USD"}
  POST   advance     {"duration": ms}
  POST   keys        {"account": handle, "scopes": [ … ]}
  POST   revoke      {"apiKey": …}: the key is refused from now on
  POST   faults      a rule: {"method": "POST", "path": "/v1/invoices", "nth": 1, "action": "lost-after"}
                     or {"eventType": "invoice.updated", "delivery": "lost-before"}
                     or {"event": {"late": 60000}, "probability": 0.01}
                     or {"subject": "payout", "state": "FAILED", "delay": ms or "never"}
  GET    faults      those in force
  DELETE faults/ID   ends one
  GET    log         requests so far, the last 200 with bodies, codes and no secrets; ?after=N leaves out the first N
  GET    deliveries  webhooks so far; ?after=N
  GET    report      what the answers so far rest on, the riskiest first
  GET    ledger      balances of all places and postings so far; ?after=N
  GET    world       what an account has; ?account=HANDLE
  GET    accounts    handles, currencies, whether others can pay them, travel rule, keys
  GET    state       time, accounts, a key and counts
  POST   erase       begins anew; what was kept is gone

  curl -X POST -H '${CONTROL_HEADER}: 1' http://127.0.0.1:PORT/_sandbox/advance -d '{"duration": 30000}'
`;
