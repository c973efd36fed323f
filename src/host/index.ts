export {
  createHostedRelay,
  type HostedAccount,
  type HostedRelay,
  type HostedRelayOptions,
  type RelayHealth,
} from './hosted-relay.ts';
export type { RelayTablesOptions, RowsTransaction } from '../relay/rows.ts';
export { opensSocket, type ServerSocket, type SocketResponse } from './servers.ts';
export {
  nodeHandler,
  type NodeRequest,
  type NodeResponse,
  type RequestOrigin,
  bunHandler,
  type BunHandler,
  type BunServer,
  type BunSocket,
  type BunConnection,
  denoHandler,
  type DenoConnection,
  type DenoSockets,
  forwardedAddress,
  type NodeConnection,
  type NodeSockets,
  type NodeSocketsOptions,
  nodeUpgrade,
  type RequestHandler,
} from './servers.ts';
