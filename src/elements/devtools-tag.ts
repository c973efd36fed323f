import type { Connection } from '../core/http/index.ts';
import type { Store } from '../stores/store.ts';
import type { TypedElement } from './page-element.ts';

// Types for the `<paystate-devtools>` element, which is defined in `paystate/devtools`. They're in
// this file because `tags.ts` declares them globally.

/** Properties of `<paystate-devtools>`. */
export interface DevtoolsProperties {
  /**
   * A client, or a connection from `createConnection`. Requests from derived clients are shown too.
   */
  client?: Connection | undefined;
  /** A journal, such as the one that `pay` uses. The devtools show its unfinished payments. */
  journal?: Store | undefined;
  /** Id of the invoice or other resource whose timeline is shown initially. */
  invoiceId?: string | undefined;
}

/** The `<paystate-devtools>` element, which shows what a client is doing. */
export interface DevtoolsElement extends TypedElement<DevtoolsProperties, object> {}
