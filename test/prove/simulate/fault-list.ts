// Faults put into the built SDK on purpose. Each is noticed by a life; the seed of that life is written down here.

/** A fault, and what notices it. */
export interface Fault {
  /** The fault in words. */
  readonly name: string;
  /** The invariants of the reliability plan that it breaks. */
  readonly invariant: string;
  /** It takes long: left out of `--quick`. */
  readonly isSlow?: true;
  /** Payments unless it is given. */
  readonly plan?: 'feed' | 'watches' | 'orders' | 'clients';
  readonly seed: number;
  /** A file of the built package, and which text in it is replaced by which. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a clean refusal beside a doubtful try ends the intent',
    invariant: '8, 9',
    seed: 1053,
    file: 'flows/pay/facts.js',
    from: 'const own = answers.filter((one) => one.send === send);',
    to: 'const own = answers.filter((one) => one.send === send || (one.send > send && ["no", "ended"].includes(one.how)));',
  },
  {
    name: 'a lost response counts as a refusal',
    invariant: '9',
    seed: 2,
    file: 'flows/pay/rail.js',
    from: 'if (isNever || !isServiceRefusal(thrown)) return { how: "none", code };',
    to: 'if (isNever || !isServiceRefusal(thrown)) return { how: "no", code, why: describeRefusal(thrown) };',
  },
  {
    name: 'a restored journal is believed',
    invariant: '8',
    seed: 331,
    file: 'flows/pay/next.js',
    from: 'holder === by && restoredFrom === void 0',
    to: 'holder === by',
  },
  {
    name: 'what the store forgot is not put back',
    invariant: '8',
    seed: 8,
    file: 'flows/pay/row-keeper.js',
    from: 'const facts = joinFacts(stored.facts, this.facts);',
    to: 'const { facts } = stored;',
  },
  {
    name: 'stop() says yes before it is certain',
    invariant: '9',
    seed: 2,
    file: 'flows/pay/run.js',
    from: 'if (phase === "stopped" || phase === "refused") resolve(true);',
    to: 'if (phase !== "pending" && !this.steps.isSettled) resolve(true);',
  },
  {
    name: 'the try of a dead process counts as a refusal',
    isSlow: true,
    invariant: '9',
    seed: 10,
    file: 'flows/pay/next.js',
    from: 'facts: [{ is: "answered", n, send, how: "none" }]',
    to: 'facts: [{ is: "answered", n, send, how: "no" }, { is: "closed", n }]',
  },
  {
    name: 'any refusal after the end closes a quote that can be paid twice',
    isSlow: true,
    invariant: '8',
    seed: 205,
    file: 'flows/pay/next.js',
    from: 'if (said === "ended" && me.seesProcessedFirst) return close(one);',
    to: 'if (said !== void 0 && said !== "none") return close(one);',
  },
  {
    name: 'an equal amount is proof of a payment',
    invariant: '9',
    seed: 51,
    file: 'flows/pay/rails/payment.js',
    from: 'return proof !== "bad" && isLike(row, view, payment);',
    to: 'return isLike(row, view, payment) && { id, movement: withoutPreimage(payment), proof };',
  },
  {
    name: 'a payment is sent before its try is in the journal',
    invariant: '8',
    seed: 186,
    file: 'core/http/connection.js',
    from: `const answer = gate();
        asked.push(answer);
        if (!await answer) throw KEPT;
        request.signal.throwIfAborted();
        return ready.send(request);`,
    to: `const response = await ready.send(request);
        asked.push(gate());
        await asked.at(-1);
        return response;`,
  },
  {
    name: 'money that came back counts as paid',
    invariant: '9',
    seed: 13,
    file: 'flows/pay/rail.js',
    from: 'state === "FAILED" || state === "REVERSED" ? "failed"',
    to: 'state === "FAILED" || state === "REVERSED" ? "completed"',
  },
  {
    name: 'what throws in a listener is swallowed',
    invariant: '14',
    seed: 3,
    file: 'core/watch.js',
    from: '    reportUncaught(error);',
    to: '',
  },
  {
    name: 'a cursor that follows any timestamp',
    invariant: '1',
    plan: 'feed',
    seed: 6,
    file: 'resources/events.cursor.js',
    from: 'return this.now ? Math.min(this.newest, this.now) : this.#second;',
    to: 'return this.newest;',
  },
  {
    name: 'what was read is forgotten with each page',
    isSlow: true,
    invariant: '2',
    plan: 'feed',
    seed: 1,
    file: 'resources/events.cursor.js',
    from: 'if (toSeconds(ticks) < this.floor - 4) {',
    to: 'if (toSeconds(ticks) < this.floor + 200) {',
  },
  {
    name: 'what an older replica says is believed',
    invariant: '3',
    plan: 'watches',
    seed: 2,
    file: 'resources/held-state.js',
    from: 'return sentAt >= confirmAt ? { held: fresh, regressed: true }',
    to: 'return true ? { held: fresh, regressed: true }',
  },
  {
    name: 'three events, three parcels',
    invariant: '2',
    plan: 'orders',
    seed: 1,
    file: 'webhooks/subject-state.js',
    from: 'const news = state !== void 0 && isNews(',
    to: 'const news = state !== void 0 || isNews(',
  },
  {
    name: 'a correlationId that was used stands for a new order',
    invariant: '9, 11',
    plan: 'orders',
    seed: 6,
    file: 'resources/invoices.js',
    from: 'const isOurs = isOwn || isLater;',
    to: 'const isOurs = true;',
  },
  {
    name: 'doubt that was explained is remembered for the next order of the name',
    isSlow: true,
    invariant: '9, 11',
    plan: 'orders',
    seed: 5,
    file: 'core/http/call-run.js',
    from: '        this.#record.unknownSince = void 0;\n        const attempts',
    to: '        const attempts',
  },
  {
    name: 'requests of one isolate share a promise',
    invariant: '17',
    plan: 'orders',
    seed: 1,
    file: 'core/http/create-connection.js',
    from: 'options.dedupeReads ?? !!page',
    to: 'options.dedupeReads ?? true',
  },
  {
    name: 'what is settled does not end a watch',
    invariant: '4',
    plan: 'watches',
    seed: 1,
    file: 'state/watch-one.js',
    from: 'if (!this.#isEndless && isSettled(this.#entry)) this.#to.complete();',
    to: 'if (!this.#isEndless && this.#entry === 0) this.#to.complete();',
  },
  {
    name: 'the feed is read every twenty seconds',
    invariant: '5',
    plan: 'clients',
    seed: 2,
    file: 'core/http/rate-readings.js',
    from: 'const SHORTEST_PERIOD_MS = 2e3;',
    to: 'const SHORTEST_PERIOD_MS = 2e4;',
  },
  {
    name: 'a command is sent when somebody listens',
    invariant: '12',
    plan: 'clients',
    seed: 1,
    file: 'core/http/send.js',
    from: 'return makeCall(priority === "normal" ? result : countWait(clock, result, endpoint.operation));',
    to: 'const go = () => deliver(connection, endpoint, job, options); return { then: (...to) => go().then((one) => one.value).then(...to), catch: (to) => go().then((one) => one.value).catch(to), withResponse: go };',
  },
  {
    name: 'amounts are added as numbers',
    invariant: '13',
    plan: 'clients',
    seed: 1,
    file: 'money/decimal.js',
    from: 'digits: finer(a, scale) + finer(b, scale)',
    to: 'digits: BigInt(Number(finer(a, scale)) + Number(finer(b, scale)))',
  },
  {
    name: 'a watch that was left goes on',
    invariant: '15',
    plan: 'watches',
    seed: 1,
    file: 'core/watch.js',
    from: 'this.#run = void 0;\n    run.work?.stop();',
    to: 'this.#run = void 0;',
  },
  {
    name: 'who has left still hears',
    invariant: '16',
    plan: 'watches',
    seed: 1,
    file: 'core/watch.js',
    from: '    place.to = {};\n    this.#places = minus(this.#places, place);',
    to: '    this.#places = this.#places;',
  },
  {
    name: 'what the network throws reaches the caller',
    invariant: '18',
    plan: 'clients',
    seed: 1,
    file: 'core/http/attempt.js',
    from: 'end(globalThis.navigator?.onLine === false ? "OFFLINE" : "UNREACHABLE", thrown)',
    to: 'settle(Promise.reject(thrown))',
  },
  {
    name: 'a page that is no answer hides the status',
    invariant: '19',
    plan: 'clients',
    seed: 1,
    file: 'core/http/classify.js',
    from: '    { status, excerpt },\n',
    to: '    { excerpt },\n',
  },
  {
    name: 'more is sent than the limits allow',
    isSlow: true,
    invariant: '20',
    plan: 'clients',
    seed: 28,
    file: 'core/http/rate-limits.js',
    from: 'Math.max(1, oldest + window - now)',
    to: '0',
  },
  {
    name: 'a block is not waited for',
    invariant: '20',
    plan: 'clients',
    seed: 28,
    file: 'core/http/rate-limiter.js',
    from: 'const delay = blocked || freeIn(',
    to: 'const delay = freeIn(',
  },
  {
    name: 'retries cost nothing',
    invariant: '21',
    plan: 'clients',
    seed: 3,
    file: 'core/http/call-run.js',
    from: 'bucket.tokens -= cost;',
    to: '',
  },
  {
    name: 'each watch of an invoice reads it alone',
    invariant: '22',
    plan: 'clients',
    seed: 2,
    file: 'state/hub.js',
    from: 'const known = this.#find(type.name, id);',
    to: 'const known = undefined;',
  },
];

/** An invariant that a test of its own checks. */
export interface Tested {
  readonly invariant: string;
  readonly file: string;
  readonly title: string;
}

/** Invariants that cannot be drawn in a life. */
export const TESTED: readonly Tested[] = [
  {
    invariant: '6',
    file: 'test/unit/state/truth.test.ts',
    title: 'of two reads of one state keeps the one that was sent later',
  },
  {
    invariant: '7',
    file: 'test/unit/payments/watch.test.ts',
    title: 'is woken by the event feed where many are watched',
  },
  {
    invariant: '10',
    file: 'test/unit/core/schedules.test.ts',
    title:
      'C13: a duplicate names a quote whose terms nobody knows; one key for a request, another for the next',
  },
  {
    invariant: '10',
    file: 'test/unit/flows/pay.test.ts',
    title: 'hold back what is expired, of another network, or paid under another intent',
  },
  {
    invariant: '23',
    file: 'test/unit/core/retries.test.ts',
    title: 'spreads callers that failed together',
  },
];
