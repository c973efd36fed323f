// Faults that went unnoticed once: each is put into the file, and a test has to fail. `from` stands in the file exactly once.
// `suite`: a test outside the portable ones that is to notice it.

const fault = (says, file, from, to, suite) => ({ says, file: `src/${file}.ts`, from, to, suite });

export const knownFaults = [
  // core
  fault(
    'doubt is dated from the last doubtful try',
    'core/http/call-run',
    'this.#record.unknownSince ??= view.sentAt',
    'this.#record.unknownSince = view.sentAt',
  ),
  fault(
    'an abort after a doubtful try, while a credential is fetched, is a plain abort',
    'core/http/call-run',
    '(result.isUnsent && this.#open === 0)',
    'result.isUnsent',
  ),
  fault(
    'a shorter block shortens a longer one',
    'core/http/rate-log',
    'Math.max(log.blockedUntil, now + ms)',
    'now + ms',
  ),
  fault(
    'a shared read goes on when the last caller has given up',
    'core/http/single-flight',
    '      flight.abort();\n',
    '',
  ),
  fault(
    'a source that ends during its start is never stopped',
    'core/watch/watch',
    'if (this.#run !== run) run.work.stop();',
    '',
  ),
  fault('a wait leaves its listener on the signal', 'core/time/clock', '      unlisten();\n', ''),
  fault(
    'an attempt leaves its listener on the signal',
    'core/http/attempt',
    '      unlisten();\n',
    '',
  ),
  fault(
    'a shared read leaves its listener on the signal',
    'core/http/single-flight',
    '    unlisten();\n',
    '',
  ),
  fault(
    'the retry bucket has no bound',
    'core/http/retry-tokens',
    'Math.min(TOKENS, bucket.tokens + 1)',
    'bucket.tokens + 1',
  ),
  fault(
    'an id may be a hash in another case',
    'core/http/correlation-id',
    '{26}$/i.test',
    '{26}$/.test',
  ),
  // resources
  fault(
    'catch-up leaves out seconds between stretches',
    'resources/events/feed',
    'Math.max(oldest, Math.min(end - 2, latest))',
    'Math.max(oldest, Math.min(end + 2, latest))',
  ),
  fault(
    '`__proto__` of a response is kept',
    'resources/shape',
    "['__proto__', 'prototype', 'constructor']",
    "['prototype', 'constructor']",
  ),
  fault(
    'a payout is initiated at ordinary priority',
    'resources/payouts/endpoints',
    "  bucket: 'others',\n  priority: 'critical',",
    "  bucket: 'others',",
  ),
  fault(
    "an exchange's original is compared by the wrong side",
    'resources/currency-exchange-quotes/operations',
    'amount.currency === sell ? source : target',
    'amount.currency === sell ? target : source',
  ),
  // state
  fault(
    'a failed read waits as long as the feed lets it',
    'state/plan/schedule',
    'entry.readAt === undefined || entry.failures',
    'entry.readAt === undefined',
  ),
  fault(
    'uncounted receives beyond the first page are lost',
    'resources/receive-requests/receives',
    '(page.items.length < PAGE ? 0 : Infinity)',
    '0',
  ),
  fault(
    'two reads at once confirm a regression',
    'resources/held-state',
    'Math.max(held.since + LAG, first.sentAt + CONFIRM_AFTER)',
    'held.since + LAG',
  ),
  fault(
    'a read is planned into a block',
    'state/plan/results',
    "Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0)",
    '0',
  ),
  fault(
    'one hint during a read makes reads without end',
    'state/plan/backlog',
    '        entry.readAgain = undefined;\n',
    '',
  ),
  fault(
    'three failed polls ever end the feed',
    'state/sources/feed',
    'this.#failures = this.#retries = 0;',
    'this.#retries = 0;',
  ),
  fault(
    'failures of different kinds are counted together',
    'state/entries/failure-policy',
    'before?.code === code ? before :',
    'before ? before :',
  ),
  fault(
    'every state ever left is kept',
    'resources/held-state',
    'earlier !== state && now < at + LAG',
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
    'webhooks/reconcile',
    'const next = step.complete\n',
    'const next = true\n',
  ),
  fault(
    'the mark is set to the end of a long reading',
    'webhooks/reconcile',
    'if (Number.isNaN(service.at)) service.at =',
    'service.at =',
  ),
  fault(
    'a resource is read again before the service allows it',
    'webhooks/read-subject',
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
    'flows/quote',
    'end === undefined || code.expiresAt',
    'end !== undefined && code.expiresAt',
  ),
  fault(
    'a code of another network is shown',
    'flows/quote',
    "  if (before.invoice.network !== now.invoice.network) return 'QUOTE_NETWORK_CHANGED';\n",
    '',
  ),
  fault(
    "a code of another network than the client's is shown",
    'flows/quote',
    "    if (network !== undefined && code.network !== network) return 'QUOTE_NETWORK_DIFFERS';\n",
    '',
  ),
  fault(
    'a checkout that was left goes on to ask for codes',
    'flows/checkout-run',
    '    this.#life.abort();\n    this.#alarm.stop();\n',
    '',
  ),
  fault(
    "waits grow over a checkout's life",
    'flows/checkout-run',
    '    this.#failures = 0;\n    this.#change({\n      isBusy: false,\n      isDemanded',
    '    this.#change({\n      isBusy: false,\n      isDemanded',
  ),
  fault(
    'codes are renewed without end on a slow network',
    'flows/checkout-state',
    'Math.min(Math.max(SHORTEST_LEAD, 2 * p95), validity / 3)',
    'Math.max(SHORTEST_LEAD, 2 * p95)',
  ),
  fault(
    "the invoice's own description is refused",
    'flows/quote',
    'quote.description ?? invoice.description ??',
    'quote.description ??',
  ),
  // relay
  fault(
    'order secrets never end',
    'relay/orders',
    ' || order.until < this.#client[internals].clock.now()',
    '',
  ),
  fault(
    'a socket lives on with the token of another invoice',
    'relay/room-sockets',
    'claims?.sub !== facts.sub || !claims.verbs',
    '!claims?.verbs',
  ),
  fault(
    'one failed quote is given for ever',
    'relay/invoice-room',
    '      this.#renewal = undefined;\n',
    '',
  ),
  fault(
    'a lagging replica takes PAID back for pages',
    'relay/invoice-keeper',
    '    const { held } = this.#apply(value, sentAt);\n    if (held.value === value)',
    '    const { held } = this.#apply(value, sentAt);\n    if (held)',
  ),
  fault(
    'numbers begin anew after a row was forgotten',
    'relay/account-store',
    'Math.max((row?.number ?? 0) + 1, facts.sentAt)',
    '(row?.number ?? 0) + 1',
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
    'relay/shares',
    '      [`pages ${request} ${id}`, { places: each, window: MINUTE }],\n',
    '',
  ),
  fault(
    'one visitor uses the whole share',
    'relay/shares',
    'const VISITOR_PART = 1 / 3;',
    'const VISITOR_PART = 1;',
  ),
  fault(
    'a refused invoice is followed again and again',
    'relay/invoice-reader',
    'refused: (id) => store.drop(id),',
    'refused: () => {},',
  ),
  fault(
    'two pages that open at once make two calls',
    'relay/orders',
    '    const made =\n      this.#opening.get(orderId) ??\n',
    '    const made =\n',
  ),
  // lightning, oauth, stores
  fault(
    'a second payment hash counts instead of the first',
    'lightning/bolt11-fields',
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
    "in the Durable Object's inbox an event that came during work is forgotten",
    'stores/durable-object-inbox-store',
    'Math.min(due, ...received.map(({ receivedAt }) => receivedAt))',
    'due',
  ),
];
