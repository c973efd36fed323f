// Faults that went unnoticed once: each is put into its file, and a test has to fail.

export interface Fault {
  /** The wrong behaviour that it causes. */
  readonly says: string;
  readonly file: string;
  /** The code of the file, there exactly once, and what replaces it. */
  readonly from: string;
  readonly to: string;
  /** The file of tests that has to notice; otherwise those of the fault's room. */
  readonly suite?: string;
}

type Words = readonly [says: string, file: string, from: string, to: string, suite?: string];

const fault = (...[says, file, from, to, suite]: Words): Fault => ({
  says,
  file: `src/${file}.ts`,
  from,
  to,
  ...(suite && { suite }),
});

export const knownFaults: readonly Fault[] = [
  // core
  fault(
    'doubt is dated from the last doubtful try',
    'core/http/call-run',
    'this.#record.unknownSince ??= sentAt',
    'this.#record.unknownSince = sentAt',
  ),
  fault(
    'an abort after a doubtful try, while a credential is fetched, is a plain abort',
    'core/http/call-run',
    '(!result.isSent && this.#open === 0)',
    '!result.isSent',
  ),
  fault(
    'a shorter block shortens a longer one',
    'core/http/rate-limits',
    'Math.max(log.blockedUntil, now + ms)',
    'now + ms',
  ),
  fault(
    'a shared read goes on when the last caller has given up',
    'core/http/send',
    '      flight.abort();\n',
    '',
  ),
  fault(
    'a source that ends during its start is never stopped',
    'core/watch',
    'if (this.#run !== run) run.work.stop();',
    '',
  ),
  fault('a wait leaves its listener on the signal', 'core/time', '      unlisten();\n', ''),
  fault(
    'an attempt leaves its listener on the signal',
    'core/http/attempt',
    '      unlisten();\n',
    '',
  ),
  fault(
    'a shared read leaves its listener on the signal',
    'core/http/send',
    '    unlisten();\n',
    '',
  ),
  fault(
    'the retry bucket has no bound',
    'core/http/call-run',
    'Math.min(MAX_RETRY_TOKENS, bucket.tokens + 1)',
    'bucket.tokens + 1',
  ),
  fault('an id may be a hash in another case', 'core/http/once', '{26}$/i.test', '{26}$/.test'),
  fault(
    'an excerpt of a foreign body repeats what the request carried',
    'core/http/credential',
    'parts.has(text.slice(at, at + MIN_SECRET_LENGTH))',
    'false',
  ),
  fault(
    'the time that a call has waited is not counted',
    'core/http/call-run',
    '    this.#waited += waited;\n',
    '',
  ),
  // resources
  fault(
    'catch-up leaves out seconds between stretches',
    'resources/events.feed',
    'Math.max(oldest, Math.min(end - 2, latest))',
    'Math.max(oldest, Math.min(end + 2, latest))',
  ),
  fault(
    '`__proto__` of a response is kept',
    'resources/wire',
    'if (!issues) return output;',
    'if (!issues) return json as T;',
  ),
  fault(
    'a payout is initiated at ordinary priority',
    'resources/payouts',
    "  bucket: 'others',\n  priority: 'critical',",
    "  bucket: 'others',",
  ),
  fault(
    "an exchange's answer is compared by the wrong side",
    'resources/currency-exchange-quotes',
    "exact: { 'source.currency': 'sell', 'target.currency': 'buy' }",
    "exact: { 'source.currency': 'buy', 'target.currency': 'sell' }",
  ),
  // state
  fault(
    'a failed read waits as long as the feed lets it',
    'state/freshness',
    'if (!failures && !isTimed) return Infinity;',
    'if (!isTimed) return Infinity;',
  ),
  fault(
    'uncounted receives beyond the first page are lost',
    'resources/receive-requests',
    '(page.items.length < PAGE ? 0 : Infinity)',
    '0',
  ),
  fault(
    'two reads at once confirm a regression',
    'resources/held-state',
    'Math.max(held.since + LAG_MS, first.sentAt + CONFIRM_AFTER_MS)',
    'held.since + LAG_MS',
  ),
  fault(
    'a read is planned into a block',
    'state/results',
    "Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0)",
    '0',
  ),
  fault(
    'one hint during a read makes reads without end',
    'state/asked',
    '      this.#waiting[rank].delete(entry);\n  }\n\n  /** Nobody',
    '      void entry;\n  }\n\n  /** Nobody',
  ),
  fault(
    'three failed polls ever end the feed',
    'state/sources/feed',
    'this.#failures = this.#retries = 0;',
    'this.#retries = 0;',
  ),
  fault(
    'failures of different kinds are counted together',
    'state/apply',
    'before?.code === code ? before :',
    'before ? before :',
  ),
  fault(
    'every state ever left is kept',
    'resources/held-state',
    'earlier !== state && now < at + LAG_MS',
    'earlier !== state',
  ),
  // webhooks
  fault(
    '200 before a clashing event is kept',
    'webhooks/receive',
    '  if (clashes.length > 0)\n    await store.add(',
    '  if (clashes.length > 0)\n    void store.add(',
  ),
  fault(
    'the cursor moves on after an incomplete reading',
    'webhooks/receive',
    'const next = step.complete\n',
    'const next = true\n',
  ),
  fault(
    'the mark is set to the end of a long reading',
    'webhooks/receive',
    'if (Number.isNaN(service.at)) service.at =',
    'service.at =',
  ),
  fault(
    'a resource is read again before the service allows it',
    'webhooks/process-subject',
    'Math.max(client[internals].clock.now() + wait, error?.retryAt ?? 0)',
    'client[internals].clock.now() + wait',
  ),
  fault(
    'a broken store is swallowed after a delivery',
    'webhooks/inbox',
    "    } catch (error) {\n      this.#setup.report({ kind: 'store-failed', error });\n    }\n  }\n\n  /** Waits",
    '    } catch {}\n  }\n\n  /** Waits',
  ),
  // flows
  fault(
    'a quote without a readable end passes',
    'flows/checkout/quote',
    'end === undefined || code.expiresAt',
    'end !== undefined && code.expiresAt',
  ),
  fault(
    'a code of another network is shown',
    'flows/checkout/quote',
    "  if (before.invoice.network !== now.invoice.network) return 'QUOTE_NETWORK_CHANGED';\n",
    '',
  ),
  fault(
    "a code of another network than the client's is shown",
    'flows/checkout/quote',
    "    if (network !== undefined && code.network !== network) return 'QUOTE_NETWORK_DIFFERS';\n",
    '',
  ),
  fault(
    'a checkout that was left goes on to ask for codes',
    'flows/checkout/run',
    '    this.#life.abort();\n    this.#alarm.stop();\n',
    '',
  ),
  fault(
    "waits grow over a checkout's life",
    'flows/checkout/run',
    '    this.#failures = 0;\n    this.#change({\n      isBusy: false,\n      isDemanded',
    '    this.#change({\n      isBusy: false,\n      isDemanded',
  ),
  fault(
    'codes are renewed without end on a slow network',
    'flows/checkout/view',
    'Math.min(Math.max(MIN_LEAD_MS, 2 * p95), validity / 3)',
    'Math.max(MIN_LEAD_MS, 2 * p95)',
  ),
  fault(
    "the invoice's own description is refused",
    'flows/checkout/quote',
    'quote.description ?? invoice.description ??',
    'quote.description ??',
  ),
  // relay
  fault('order secrets never end', 'relay/orders', ' || order.until < this.#now', ''),
  fault(
    'a socket lives on with the token of another invoice',
    'relay/page-lines',
    'claims?.sub === sub && claims.verbs',
    'claims?.verbs',
  ),
  fault(
    'one failed quote is given for ever',
    'relay/gathered',
    'work().finally(() => this.#underWay.delete(name))',
    'work()',
  ),
  fault(
    'a lagging replica takes PAID back for pages',
    'relay/row-reads',
    'const isTaken = held.value === value;',
    'const isTaken = true;',
  ),
  fault(
    'a change has the number of the one before',
    'relay/sql-relay-rows',
    'sql`${MAX}(version + 1, ${CLOCK})` : sql`version`',
    'sql`version` : sql`version`',
  ),
  fault(
    'a lost alarm is never set again',
    'relay/platform',
    'set === null || set > at || set < now - LOST',
    'set === null || set > at',
  ),
  fault(
    'sockets of ended tokens stay',
    'relay/invoice-room',
    '    this.#sockets.closeExpired();\n',
    '',
  ),
  fault(
    'one page uses the whole share',
    'relay/limits',
    'most: SHARES[request].each,',
    'most: Infinity,',
  ),
  fault(
    'one visitor uses the whole share',
    'relay/limits',
    'group(visitor, most / 3)',
    'group(visitor, most)',
  ),
  fault(
    'what no page shows any more is read on',
    'relay/row-reads',
    '      if (isOver) return { invoiceId, checkIn: SETTLED };\n',
    '',
  ),
  fault(
    'two pages that open at once make two calls',
    'relay/orders',
    'return this.#opening.run(orderId, () => this.#makeInTurn(orderId));',
    'return this.#makeInTurn(orderId);',
  ),
  // lightning, oauth, stores
  fault(
    'a second payment hash counts instead of the first',
    'lightning/bolt11',
    ' && found[name] === undefined',
    '',
  ),
  fault(
    'a call that waited for a refresh is given the very token that was refused',
    'oauth/login',
    'return isOwn || renewed.access !== refused ? renewed : usable(refused);',
    'return renewed;',
  ),
  fault(
    'in an SQL inbox an event that came during work is forgotten',
    'stores/sql-inbox-store',
    'UPDATE {}_leases SET state = ?, due = ?, until = ? WHERE subject = ?',
    'UPDATE {}_leases SET state = ?, due = ?, until = ?, fresh = 9007199254740991 WHERE subject = ?',
    'test/long/durable-inbox.test.ts',
  ),
  // faults that outsiders put in and no test noticed
  fault(
    'a conversion against the direction of its rate has the digits of bitcoin',
    'money/money',
    'quotient(own, by, sourceCurrency, 0, options)',
    'quotient(own, by, sourceCurrency, 8, options)',
  ),
  fault(
    'a comment is counted in UTF-16 units',
    'lightning/lnurl',
    '[...comment].length > request',
    'comment.length > request',
  ),
  fault(
    'a wait of more than 24.8 days ends at once',
    'core/time',
    'Math.min(Math.max(ms, 0), LONGEST_TIMER_MS)',
    'Math.max(ms, 0)',
  ),
  fault(
    'all pages that lost the relay come back in the same instant',
    'state/sources/relay',
    'this.#random() * Math.min',
    'Math.min',
  ),
  fault(
    "the inbox's mark in the feed moves back",
    'webhooks/receive',
    'Math.max(last, reached)',
    'reached',
  ),
  fault(
    "a sandbox account's balance may sink to -1.00",
    'sandbox/ledger/ledger',
    'at(source) < 0n)',
    'at(source) < -100n)',
  ),
  fault(
    "a proxy's 403 switches lists off",
    'resources/service-facts',
    "else if (isRefused) this.refuse('list');",
    "else if (status === 403) this.refuse('list');",
  ),
  fault(
    'a captive portal is no outage',
    'state/apply',
    "    code === 'RESPONSE_NOT_JSON' ||\n",
    '',
  ),
  fault(
    'a socket whose token has ended is still sent news',
    'relay/invoice-room',
    '    if (!this.#checkToken(socket)) return;\n',
    '',
  ),
  fault(
    'a room that stays away is called every second',
    'relay/outbox',
    'Math.min(SLOWEST, RETRY * 2 ** this.#failures++)',
    'RETRY',
  ),
  fault(
    'the old code stays on the page where the next checkout cannot begin',
    'elements/element-class',
    '    this.#root.replaceChildren(); // where it cannot begin, no code of before may be paid\n',
    '',
    'test/e2e/checkout-edges.test.ts',
  ),
  fault(
    'the sum of receives is the last receive',
    'elements/receives-element',
    'before ? addMoney(before, amountCredited) : amountCredited',
    'amountCredited',
    'test/e2e/checkout-element.test.ts',
  ),
  fault(
    'an element that has left the page counts on',
    'elements/checkout-element',
    '      stopSale?.();\n      stopCount();\n',
    '      stopSale?.();\n',
    'test/e2e/checkout-edges.test.ts',
  ),
  fault(
    'a code that replaced the copied one is called copied',
    'elements/checkout-code',
    '    if (this.#way !== way) return; // replaced meanwhile\n',
    '',
    'test/e2e/checkout-edges.test.ts',
  ),
  fault(
    'a payment is said to be stopped though the journal failed',
    'flows/pay/run',
    '      return false; // the journal fails: it is not known',
    '      return true;',
  ),
  fault(
    'an intent that was only begun is not open for the next process',
    'flows/pay/journal',
    'compareAndSet(JOURNAL_ROWS + intent, 0, row, true)',
    'compareAndSet(JOURNAL_ROWS + intent, 0, row)',
  ),
  fault(
    'the payment of an earlier round counts as the one of this round',
    'flows/pay/run',
    'return isOurs && !isOld ? answer',
    'return isOurs ? answer',
    'test/unit/flows/pay-foreign.test.ts',
  ),
  fault(
    'the journal is written without comparing',
    'flows/pay/journal',
    'this.#store.compareAndSet(key, stored.version, made, isOpen(made))',
    'this.#store.put(key, made).then(() => true)',
    'test/unit/flows/pay-others.test.ts',
  ),
  fault(
    'two processes act at once',
    'flows/pay/next',
    '  if (holder !== me.by) return followStep(view, rules, me);\n',
    '',
    'test/unit/flows/pay-crash.test.ts',
  ),
  fault(
    'another round does not wait for the end of the old quote',
    'flows/pay/next',
    'return hasEnded && (last.every(',
    'return true || (last.every(',
    'test/unit/flows/pay.test.ts',
  ),
  fault(
    'a lease of the inbox ends while what it is for is read',
    'webhooks/inbox',
    '      client[internals].settings.callTimeout + PLACE_WAIT + MARGIN,',
    '      PLACE_WAIT + MARGIN,',
  ),
  fault(
    'what was announced is remembered for as long as the client lives',
    'state/known',
    '      if (until > now && this.#kept.size <= MAX_KEPT) break;\n      this.#kept.delete(oldest);\n',
    '      if (until > now && this.#kept.size <= MAX_KEPT) break;\n',
  ),
  fault(
    'a round gives back what the intent may still pay',
    'flows/pay/limits',
    '        if (!row || viewOf(row).round !== round || !isVoidRow(row, now)) return undefined;\n',
    '',
    'test/unit/flows/refund.test.ts',
  ),
];
