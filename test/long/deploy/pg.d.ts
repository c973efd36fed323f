// The package `pg` has no types here: as much of it as the cookbook's deployment and its test use.
declare module 'pg' {
  interface Options {
    readonly password?: string;
    readonly connectionString?: string;
    readonly max?: number;
  }
  interface Result {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }
  class Client {
    constructor(options: Options);
    connect(): Promise<void>;
    query(text: string, values?: unknown[]): Promise<Result>;
    on(event: string, listener: (given: never) => void): this;
    end(): Promise<void>;
  }
  class Pool {
    constructor(options: Options);
    connect(): Promise<Client & { release(destroy?: boolean): void }>;
    query(text: string, values?: unknown[]): Promise<Result>;
    on(event: 'error', listener: () => void): this;
    end(): Promise<void>;
  }
  const pg: { readonly Client: typeof Client; readonly Pool: typeof Pool };
  export default pg;
}
