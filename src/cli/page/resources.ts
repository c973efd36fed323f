/** A move of the world outside: the state to come, and the word for it. */
export interface Move {
  readonly to: string;
  readonly label: string;
}

/** A command of the API on one resource, such as `PATCH …/cancel`. */
export interface ApiCommand {
  readonly method: string;
  /** The path with one parameter. */
  readonly path: string;
  readonly label: string;
}

/** A resource as the page shows it. The server makes them from the registry. */
export interface PageResource {
  /** The service's word, under which the world has it. */
  readonly name: string;
  /** The resource's name, as `move` calls it. */
  readonly subject: string;
  readonly title: string;
  /** One of them, in a button's name. */
  readonly one: string;
  /** The member that identifies it. */
  readonly id: string;
  /** The states in their usual order; empty for a resource without states. */
  readonly states: readonly string[];
  /** What the world outside does to it, by its state. */
  readonly moves: Readonly<Record<string, readonly Move[]>>;
  readonly commands: readonly ApiCommand[];
  /** What to do where there is none. */
  readonly empty: string;
}

/** A member of a draft, found by its path, such as `amount.currency`. */
export interface FormField {
  readonly path: string;
  readonly type: 'text' | 'number' | 'boolean' | 'texts';
  readonly isRequired: boolean;
  /** The texts that are known; others may pass. */
  readonly options?: readonly string[];
  readonly maxLength?: number;
  /** Filled in; `$` begins what the page finds out first. */
  readonly value: string;
}

/** A request that makes something. */
export interface Form {
  /** Such as `invoices.create`. */
  readonly operation: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** A request of the API and the member of the client that sends it. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  readonly operation: string;
  readonly hasDraft: boolean;
}

/** Everything that the page knows of the service. */
export interface Directory {
  readonly resources: readonly PageResource[];
  readonly forms: readonly Form[];
  readonly routes: readonly ApiRoute[];
}

export async function loadDirectory(): Promise<Directory> {
  return (await fetch('/_page/resources.json')).json() as Promise<Directory>;
}
