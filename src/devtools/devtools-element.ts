import type { Connection } from '../core/http/index.ts';
import { defineOnce } from '../elements/define-once.ts';
import { make } from '../elements/dom.ts';
import { elementClass, type Shown } from '../elements/element-class.ts';
import type { PageElement } from '../elements/page-element.ts';
import type { Store } from '../stores/store.ts';
import { DevtoolsPanel } from './devtools-panel.ts';
import { devtoolsLook } from './look.ts';

/** What a page gives to `<paystate-devtools>`. */
export interface DevtoolsProperties {
  /** A client, or a connection of `connect`; what its children do is shown too. */
  client?: Connection | undefined;
  /** The journal of runs such as `pay`; its open runs are shown. */
  journal?: Store | undefined;
  /** Id of the resource whose timeline is shown first. */
  invoiceId?: string | undefined;
}

/** `<paystate-devtools>`. */
export interface DevtoolsElement extends PageElement, DevtoolsProperties {}

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
    elementClass<DevtoolsProperties, never>(names, startDevtools),
  );
}

function startDevtools({ client, journal, invoiceId }: DevtoolsProperties): Shown {
  const look = devtoolsLook();
  if (!client) {
    const root = make('section', 'card', 'The devtools wait for their client.');
    return { root, look, stop() {} };
  }
  const panel = new DevtoolsPanel({ client, journal, invoiceId });
  return { root: panel.root, look, stop: () => panel.stop() };
}
