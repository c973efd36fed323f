// Faults put into the built SDK on purpose. Each is noticed by a life; the seed of that life is written down here.

/**
 * What is wrong, the invariant of the reliability plan that it breaks, in which plan (payments where none is named) by which
 * seed it is noticed, where it is, the text and what stands there instead.
 */
export const MUTANTS = [
  {
    name: 'a clean refusal beside a doubtful try ends the intent',
    invariant: '8, 9',
    seed: 2,
    file: 'flows/pay/apply-event.js',
    from: 'const isAlone = !row.executed &&',
    to: 'const isAlone = true ||',
  },
  {
    name: 'a lost response counts as a refusal',
    invariant: '9',
    seed: 2,
    file: 'flows/pay/apply-event.js',
    from: 'lost: "doubt"',
    to: 'lost: "refused"',
  },
  {
    name: 'the try of a dead process counts as a refusal',
    invariant: '9',
    seed: 238,
    file: 'flows/pay/apply-event.js',
    from: 'overdue: "doubt"',
    to: 'overdue: "refused"',
  },
  {
    name: 'any refusal after the end closes a quote that can be paid twice',
    invariant: '8',
    seed: 891,
    file: 'flows/pay/apply-event.js',
    from: 'return "busy"',
    to: 'return is',
  },
  {
    name: 'an equal amount is proof of a payment',
    invariant: '9',
    seed: 56,
    file: 'flows/pay/search.js',
    from: 'row.executed && !gap.isIncomplete && candidates.length === 1',
    to: 'candidates.length > 0',
  },
  {
    name: 'the journal is written without comparing',
    invariant: '8',
    seed: 207,
    file: 'flows/pay/journal.js',
    from: 'this.#store.compareAndSet(ROWS + intent, stored.version, next, isOpen)',
    to: 'this.#store.get(ROWS + intent).then(({ version }) => this.#store.compareAndSet(ROWS + intent, version, next, isOpen))',
  },
  {
    name: 'another round does not wait for the end of the old quote',
    invariant: '8',
    seed: 845,
    file: 'flows/pay/rail-rules.js',
    from: 'lnurl: { hasProbes: true, isHeld: true }',
    to: 'lnurl: { hasProbes: true, isHeld: false }',
  },
  {
    name: 'money that came back counts as paid',
    invariant: '9',
    seed: 13,
    file: 'flows/pay/try-outcome.js',
    from: 'FAILED: "read-failed"',
    to: 'FAILED: "read-completed"',
  },
  {
    name: 'what throws in a listener is swallowed',
    invariant: '14',
    seed: 3,
    file: 'core/watch/isolated.js',
    from: '    reportUncaught(error);',
    to: '',
  },
];
