export type { AccountHandlers, PaidOrder, PaidOrderHandler } from './account-inbox.ts';
export { AccountObject, type AccountObjectOptions } from './account-object.ts';
export { InvoiceRoom, type InvoiceRoomOptions } from './invoice-room.ts';
export { type CreatedOrder, type Relay, type RelayOptions, createRelay } from './relay.ts';
export type {
  DurableObjectContext,
  LiveSocket,
  ObjectNamespace,
  ObjectStub,
} from './platform.ts';
export type { TokenSettings } from './tokens.ts';
