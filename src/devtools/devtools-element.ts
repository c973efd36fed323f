import { defineOnce } from '../elements/define-once.ts';
import type { DevtoolsProperties } from '../elements/devtools-tag.ts';
import { make } from '../elements/dom.ts';
import { elementClass, type Shown } from '../elements/element-class.ts';
import { DevtoolsPanel } from './devtools-panel.ts';
import { devtoolsLook } from './look.ts';

/**
 * Defines `<paystate-devtools>`: requests, watches, rate limits, a timeline and a recording of the
 * client that it is given. Nothing happens where there is no document, or where it is defined already.
 *
 * @example
 * defineDevtools();
 */
export function defineDevtools(): void {
  const names = ['client', 'journal', 'invoiceId'];
  defineOnce('paystate-devtools', () =>
    elementClass<DevtoolsProperties, never>(names, () => startDevtools),
  );
}

function startDevtools({ client, journal, invoiceId }: DevtoolsProperties): Shown {
  const look = devtoolsLook();
  if (!client) {
    const root = make('section', 'card', 'Waiting for a client.');
    return { root, look, stop() {} };
  }
  const panel = new DevtoolsPanel({ client, journal, invoiceId });
  return { root: panel.root, look, stop: () => panel.stop() };
}
