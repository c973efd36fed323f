export { createHostedRelay, type HostedRelay, type HostedRelayOptions } from './hosted-relay.ts';
export type {
  HostedObjectMethods,
  MakeObject,
  ObjectHost,
  ObjectHostOptions,
  SharedHostOptions,
  SocketResponse,
} from './model.ts';
export { postgresqlOf } from './object-storage.ts';
export type { PostgresqlDriver } from './shared/driver.ts';
export { createObjectHost } from './object-host.ts';
export type { ServerSocket } from './page-socket.ts';
export { opensSocket } from './socket-maker.ts';
export type { SqliteDatabase } from './sqlite.ts';
export { nodeHandler, type NodeRequest, type NodeResponse } from './node-handler.ts';
