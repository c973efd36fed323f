// Listeners come to a watch and leave it, by one of its forms; some of them throw.
import { watchInvoice } from 'paystate';
import { checkout } from 'paystate/flows';
import { watchInvoice as observeInvoice } from 'paystate/rx';
import { isLive, listen } from './listener.mjs';

/** A listener throws this: it must be reported as uncaught once, and must have no other effect. */
export class OwnError extends Error {}

/** Subscribes by `for await`, as far as a record needs it. */
const iterated = (watch) => (to) => {
  const iterator = watch[Symbol.asyncIterator]();
  let hasLeft = false;
  const go = async () => {
    try {
      for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
        if (hasLeft) return; // a loop that has ended hears nothing
        to.next(step.value);
      }
      if (!hasLeft) to.complete(); // leaving ends the loop too
    } catch (error) {
      to.error(error);
    }
  };
  void go();
  return () => {
    hasLeft = true;
    void iterator.return();
  };
};

const SOURCES = {
  watch: (client, invoice, options) => watchInvoice(client, invoice, options),
  rx: (client, invoice, options) => observeInvoice(client, invoice, options),
  iterate: (client, invoice, options) => watchInvoice(client, invoice, options),
  checkout: (client, { invoiceId }, options) => checkout(client, { invoiceId, ...options }),
};

/** Acts { at, act } by which someone comes and goes, and what ends all of it. */
export const attend = ({ stage, client, invoice, listener, record, wrap, counted }) => {
  const { kind, until, spans, throws } = listener;
  const source = wrap(SOURCES[kind](client, invoice, { until }), { stage, invoice, listener });
  const subscribe = kind === 'iterate' ? iterated(source) : source.subscribe.bind(source);
  record.faults = [];
  let leave = () => {};
  const come = () => {
    if (record.ends?.how === 'complete') return;
    const leaving = [listen(record, subscribe)];
    if (throws) leaving.push(noisy(source, counted));
    leave = () => leaving.forEach((one) => void one());
  };
  const go = () => {
    const isOpen = record.ends === undefined;
    leave();
    leave = () => {};
    if (!isOpen || !source.current) return;
    stage.clock.after(1, () => {
      const wasLeft = record.said.at(-1)?.isOff;
      if (wasLeft && record.ends === undefined && isLive(source.current()))
        record.faults.push(`live alone: ${record.name} is live with nobody listening`);
    });
  };
  const acts = spans.flatMap(([from, to]) => [
    { at: from, act: () => stage.device.use(come) },
    ...(to === Infinity ? [] : [{ at: to, act: () => stage.device.use(go) }]),
  ]);
  return { acts, leave: () => leave() };
};

const noisy = (source, counted) => {
  const subscription = source.subscribe({
    next() {
      counted.thrown++;
      throw new OwnError('a listener of the user');
    },
    error: () => {},
  });
  return typeof subscription === 'function' ? subscription : () => subscription.unsubscribe();
};
