export {
  createHostedRelay,
  type HostedAccount,
  type HostedRelay,
  type HostedRelayOptions,
  type RelayHealth,
} from './hosted-relay.ts';
export type { RelayTablesOptions, RowsTransaction } from '../relay/rows.ts';
export { opensSocket, type ServerSocket, type SocketResponse } from './page-socket.ts';
export { nodeHandler, type NodeRequest, type NodeResponse } from './node-handler.ts';
