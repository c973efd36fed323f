export { AccountFeed, type AccountFeedParts } from './account-feed.ts';
export type { AccountHandlers } from './inbox.ts';
export type { OpenOrder, Relay, RelayOptions } from './model.ts';
export type { PaidOrder, PaidOrderHandler } from './paid-order.ts';
export type { LiveSocket, ObjectNamespace, ObjectStub, RoomContext } from './platform.ts';
export { createRelay } from './relay.ts';
export { Room, type RoomParts } from './room.ts';
export type { TokenSettings } from './tokens.ts';
