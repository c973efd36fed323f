import type { DevtoolsElement } from 'paystate/devtools';
import { byId } from './page.ts';
import type { World } from './world.ts';

/** Shows the devtools of the page's client when somebody opens them, and loads nothing before. */
export function startDevtools({ clients }: World): void {
  const details = byId('devtools', HTMLDetailsElement);
  details.addEventListener('toggle', () => void open(), { once: true });

  async function open(): Promise<void> {
    const { defineDevtools } = await import('paystate/devtools');
    defineDevtools();
    const element = document.createElement('paystate-devtools') as DevtoolsElement;
    details.append(element);
    clients.subscribe((client) => void (element.client = client));
  }
}
