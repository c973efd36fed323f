// Writes down what a watch says, when it said it, and how it ended. The judge reads this and nothing else of the SDK.

/** The phases of a checkout mean these states of the invoice. */
const STATES = {
  awaiting: 'UNPAID',
  renewing: 'UNPAID',
  paused: 'UNPAID',
  unsafe: 'UNPAID',
  pending: 'PENDING',
  paid: 'PAID',
  cancelled: 'CANCELLED',
  reversed: 'REVERSED',
};

const ofSnapshot = ({ value, asOf, freshness, unconfirmed }) => ({
  asOf,
  state: value?.state,
  isLive: freshness === 'live',
  unconfirmed,
});

/** A phase that is no word on the invoice counts by the invoice beside it. */
const ofView = ({ phase, invoice, freshness, unconfirmed, quote }) => ({
  state: STATES[phase] ?? invoice?.state,
  isLive: freshness === 'live',
  unconfirmed,
  code: phase === 'awaiting' ? quote.lnInvoice : undefined,
});

export const isLive = (shown) => shown?.freshness === 'live';

/** `said`: [{ at, state, isLive }], with { at, isOff: true } where nobody listened; `ends`: { at, how, error }. */
export const createRecord = (name, id, kind, clock) => ({
  name,
  id,
  kind,
  said: [],
  ends: undefined,
  late: 0, // calls after the end, or after leaving
  clock,
});

/** Subscribes once more; returns what unsubscribes. `subscribe` is the watch's own. */
export const listen = (record, subscribe) => {
  const { clock, said, kind } = record;
  const read = kind === 'checkout' ? ofView : ofSnapshot;
  let isOpen = true;
  record.ends = undefined;
  const end = (how, error) => {
    if (!isOpen) return void record.late++;
    isOpen = false;
    record.ends = { at: clock.now(), how, error };
  };
  const off = () => void said.push({ at: clock.now(), isOff: true, isLive: false });
  const subscription = subscribe({
    next: (shown) =>
      isOpen ? void said.push({ at: clock.now(), ...read(shown) }) : void record.late++,
    error: (error) => end('error', error),
    complete: () => end('complete'),
  });
  return () => {
    if (!isOpen) return;
    isOpen = false;
    (typeof subscription === 'function' ? subscription : () => subscription.unsubscribe())();
    off();
  };
};
