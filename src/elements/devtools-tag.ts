import type { Connection } from '../core/http/index.ts';
import type { Store } from '../stores/store.ts';
import type { TypedElement } from './page-element.ts';

// The devtools define the element. Its types are here, because that file declares global names.

/** Properties of `<paystate-devtools>` that a page sets. */
export interface DevtoolsProperties {
  /** A client, or a connection from `createConnection`. Requests of its children are shown too. */
  client?: Connection | undefined;
  /** A journal, such as that of `pay`, whose open runs are shown. */
  journal?: Store | undefined;
  /** Id of the resource whose timeline is shown first. */
  invoiceId?: string | undefined;
}

/** `<paystate-devtools>`. */
export interface DevtoolsElement extends TypedElement<DevtoolsProperties, object> {}
