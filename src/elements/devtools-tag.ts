import type { Connection } from '../core/http/index.ts';
import type { Store } from '../stores/store.ts';
import type { TypedElement } from './page-element.ts';

// The room of the devtools makes the element. Its types are here for the table of all elements, and
// not in that file, because it declares global names: whoever types only the devtools has no need
// of them.

/** Properties of `<paystate-devtools>` that a page sets. */
export interface DevtoolsProperties {
  /** A client, or a connection of `connect`; what its children do is shown too. */
  client?: Connection | undefined;
  /** The journal of runs such as `pay`; its open runs are shown. */
  journal?: Store | undefined;
  /** Id of the resource whose timeline is shown first. */
  invoiceId?: string | undefined;
}

/** `<paystate-devtools>`. */
export interface DevtoolsElement extends TypedElement<DevtoolsProperties, object> {}
