import type { Observers, RequestView, ResponseView } from 'paystate';
import { byId, make, say } from './page.ts';

const LONGEST = 80;

/** Shows each request of the page with its reason. Pass the observers to the client. */
export function showLog(): Observers {
  const list = byId('log', HTMLOListElement);
  const count = byId('count', HTMLElement);
  const open = new Map<string, Row>();
  let newest: Row | undefined;
  let requests = 0;
  return {
    onRequest(view) {
      if (newest?.repeats(view)) newest.again();
      else list.prepend((newest = rowOf(view)).element);
      open.set(keyOf(view), newest);
      while (list.children.length > LONGEST) list.lastElementChild?.remove();
      say(count, String(++requests));
    },
    onResponse(view) {
      open.get(keyOf(view))?.answer(view);
      open.delete(keyOf(view));
    },
  };
}

interface Row {
  readonly element: HTMLLIElement;
  /**
   * True if the request, its reason and its good response are the same, so that one line can stand
   * for both.
   */
  repeats(view: RequestView): boolean;
  again(): void;
  answer(view: ResponseView): void;
}

function rowOf(first: RequestView): Row {
  const element = make('li', 'request');
  const times = make('span', 'times');
  const result = make('span', 'result', '…');
  const line = make('p', 'line');
  line.append(
    make('b', 'method', first.method),
    ' ',
    make('span', 'path', shortened(first.path)),
    ' ',
    result,
    ' ',
    times,
  );
  const retry = first.attempt > 1 ? ` · attempt ${first.attempt}` : '';
  element.append(
    line,
    make(
      'p',
      'why',
      `${first.reason || 'asked for by the page'}${retry} · priority ${first.priority}`,
    ),
  );
  let isGood = false;
  let asked = 1;
  return {
    element,
    repeats: ({ method, path, reason: why, attempt }) =>
      isGood &&
      method === first.method &&
      path === first.path &&
      why === first.reason &&
      attempt === first.attempt,
    again: () => void (times.textContent = `× ${++asked}`),
    answer({ status, code, duration }) {
      isGood = status !== undefined && status < 400;
      result.textContent = `${status ?? 'no answer'}${code === undefined ? '' : ` ${code}`} · ${Math.round(duration)} ms`;
      result.className = `result ${isGood ? 'good' : 'bad'}`;
    },
  };
}

/** Returns the part that tells requests apart. */
function shortened(path: string): string {
  return path.replace('/v1', '').replace('{invoiceId}', '{id}');
}

/** Returns a key that a request and its response share. */
function keyOf({ method, path, sentAt: at, attempt, reason: why }: RequestView): string {
  return [method, path, at, attempt, why].join(' ');
}
