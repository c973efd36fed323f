import type { Connection } from '../core/http/index.ts';
import type { Store } from '../stores/store.ts';
import type { TypedElement } from './page-element.ts';

// Types of the element `<paystate-devtools>`, which is defined in `paystate/devtools`. They're in
// this file because `tags.ts` declares them globally.

/** Properties of `<paystate-devtools>`. */
export interface DevtoolsProperties {
  /**
   * A client, or a connection from `createConnection`. Requests of derived clients are shown too.
   */
  client?: Connection | undefined;
  /** A journal, such as the one of `pay`. The devtools show its unfinished payments. */
  journal?: Store | undefined;
  /** Id of the invoice or other resource whose timeline is shown first. */
  invoiceId?: string | undefined;
}

/** The element `<paystate-devtools>`, which shows what a client is doing. */
export interface DevtoolsElement extends TypedElement<DevtoolsProperties, object> {}
