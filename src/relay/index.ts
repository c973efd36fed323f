export type { AccountHandlers } from './account-inbox.ts';
export { AccountObject } from './account-object.ts';
export type { AccountObjectOptions } from './account-parts.ts';
export { InvoiceRoom, type InvoiceRoomOptions } from './invoice-room.ts';
export type { CreatedOrder, Relay, RelayOptions } from './model.ts';
export type { PaidOrder, PaidOrderHandler } from './paid-order.ts';
export type {
  DurableObjectContext,
  LiveSocket,
  ObjectNamespace,
  ObjectStub,
  SocketMaker,
} from './platform.ts';
export { createRelay } from './relay.ts';
export type { TokenSettings } from './tokens.ts';
