import type { Observers, RequestView, ResponseView } from 'paystate';
import { byId, make, say } from './page.ts';

const LONGEST = 80;

/** Shows each request of the page with the reason for it. The observers go into the client's options. */
export function showLog(): Observers {
  const list = byId('log', HTMLOListElement);
  const count = byId('count', HTMLElement);
  const open = new Map<string, Row>();
  let requests = 0;
  return {
    onRequest(view) {
      const row = rowOf(view);
      open.set(keyOf(view), row);
      list.prepend(row.element);
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
  answer(view: ResponseView): void;
}

function rowOf(view: RequestView): Row {
  const element = make('li', 'request');
  const result = make('span', 'result', '…');
  const line = make('p', 'line');
  line.append(make('b', 'method', view.method), ' ', make('span', 'path', shortened(view.path)), ' ', result);
  const again = view.attempt > 1 ? ` · attempt ${view.attempt}` : '';
  element.append(line, make('p', 'why', `${view.why || 'asked for by the page'}${again} · lane ${view.lane}`));
  return {
    element,
    answer({ status, code, duration }) {
      result.textContent = `${status ?? 'no answer'}${code === undefined ? '' : ` ${code}`} · ${Math.round(duration)} ms`;
      result.classList.add(status === undefined || status >= 400 ? 'bad' : 'good');
    },
  };
}

/** The part that tells requests apart. */
function shortened(path: string): string {
  return path.replace('/v1', '').replace('{invoiceId}', '{id}');
}

/** An answer names its request by what it repeats of it. */
function keyOf({ method, path, at, attempt, why }: RequestView): string {
  return [method, path, at, attempt, why].join(' ');
}
