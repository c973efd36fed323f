// This lends the part of a page that a watch reads, during a run: it can be hidden, focused and without network.
import { setMaxListeners } from 'node:events';

const lend = (target, name, descriptor) => {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { configurable: true, ...descriptor });
  return () => (before ? Object.defineProperty(target, name, before) : void delete target[name]);
};

/** `hidden` has the spans in which nobody could see the page. */
export const lendPage = (clock) => {
  const bus = new EventTarget();
  setMaxListeners(0, bus); // pages have no such limit
  const hidden = [];
  let listeners = 0;
  let online = true;
  const isHidden = () => hidden.at(-1)?.to === Infinity;
  const add = (...given) => void (listeners++, bus.addEventListener(...given));
  const remove = (...given) => void (listeners--, bus.removeEventListener(...given));
  const page = {
    get visibilityState() {
      return isHidden() ? 'hidden' : 'visible';
    },
    addEventListener: add,
    removeEventListener: remove,
  };
  const undo = [
    lend(globalThis, 'document', { value: page }),
    lend(globalThis, 'navigator', {
      value: {
        get onLine() {
          return online;
        },
      },
    }),
    lend(globalThis, 'addEventListener', { value: add }),
    lend(globalThis, 'removeEventListener', { value: remove }),
  ];
  const fire = (type) => void bus.dispatchEvent(new Event(type));
  return {
    hidden,
    listeners: () => listeners,
    hide() {
      if (isHidden()) return;
      hidden.push({ from: clock.now(), to: Infinity });
      fire('visibilitychange');
    },
    show() {
      if (!isHidden()) return;
      hidden.at(-1).to = clock.now();
      fire('visibilitychange');
    },
    focus: () => fire('focus'),
    network(isOn) {
      online = isOn;
      fire(isOn ? 'online' : 'offline');
    },
    takeAway: () => undo.forEach((back) => void back()),
  };
};
