/** Lets a test change the page that it runs in. */
export interface Page {
  hide(): void;
  show(): void;
  /** The page goes as a whole, as on the way to another one; `restore` brings it back as it was. */
  putAway(): void;
  restore(): void;
  network(on: boolean): void;
  listeners(): number;
}

type Listen = EventTarget['addEventListener'];
type Target = { addEventListener?: Listen; removeEventListener?: Listen };
type Scope = Target & { document?: EventTarget & Target; navigator?: object };

const TYPES = ['visibilitychange', 'pagehide', 'pageshow', 'focus', 'online', 'offline'];

const isPage = 'document' in globalThis;
const scope = globalThis as unknown as Scope;

/** Sets a member for the time of a test; returns what takes it back. */
function lend(target: object, name: string, descriptor: PropertyDescriptor): () => void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { configurable: true, ...descriptor });
  return () =>
    void (before
      ? Object.defineProperty(target, name, before)
      : delete (target as Record<string, unknown>)[name]);
}

/** Lends a document, a navigator and events where there is no page. */
function lendPage(bus: EventTarget): (() => void)[] {
  if (isPage) return [];
  return [
    lend(globalThis, 'document', { value: bus }),
    lend(globalThis, 'navigator', { value: {} }),
    lend(globalThis, 'addEventListener', { value: bus.addEventListener.bind(bus), writable: true }),
    lend(globalThis, 'removeEventListener', {
      value: bus.removeEventListener.bind(bus),
      writable: true,
    }),
  ];
}

/** Counts the listeners for the events of a page that come and go. */
function lendCounter(target: object, count: (by: number) => void): (() => void)[] {
  const around = (name: 'addEventListener' | 'removeEventListener', by: number) => {
    const original = ((target as Target)[name] as Listen).bind(target);
    const value: Listen = (type, ...rest) => {
      if (TYPES.includes(type)) count(by);
      original(type, ...rest);
    };
    return lend(target, name, { value, writable: true });
  };
  return [around('addEventListener', 1), around('removeEventListener', -1)];
}

/** Runs in a page: the real one in browsers, elsewhere one with the members that a watch reads. */
export async function inPage(run: (page: Page) => Promise<void>): Promise<void> {
  const bus = new EventTarget();
  let visibility = 'visible';
  let online = true;
  let listeners = 0;
  const undo = lendPage(bus);
  const { document, navigator } = scope as Required<Scope>;
  undo.push(
    lend(document, 'visibilityState', { get: () => visibility }),
    lend(navigator, 'onLine', { get: () => online }),
  );
  for (const target of isPage ? [globalThis, document] : [globalThis, bus])
    undo.push(...lendCounter(target, (by) => void (listeners += by)));
  const fire = (target: EventTarget, type: string) =>
    void target.dispatchEvent(new Event(type, { bubbles: true })); // as browsers do: the window hears of its document
  const show = (state: string) => {
    visibility = state;
    fire(document, 'visibilitychange');
  };
  const window = isPage ? (globalThis as unknown as EventTarget) : bus;
  try {
    await run({
      hide: () => show('hidden'),
      show: () => show('visible'),
      putAway: () => fire(window, 'pagehide'),
      restore: () => fire(window, 'pageshow'),
      network(on) {
        online = on;
        fire(window, on ? 'online' : 'offline');
      },
      listeners: () => listeners,
    });
  } finally {
    for (const back of undo.reverse()) back();
  }
}
