export {
  type RawDelivery,
  secretIndexOf,
  type WebhookEvent,
  generateWebhookSecret,
  verifyWebhook,
  type VerifyOptions,
} from './verify.ts';
export type {
  EventHandlerContext,
  EventHandlers,
  Handler,
  HandlerContext,
  Handlers,
  StateHandlers,
  UnhandledEvent,
  InboxProblem,
  NotOurs,
  ResourceReads,
} from './setup.ts';
export { createInbox, type Inbox, type InboxOptions, type InboxStatus } from './inbox.ts';
export type { ReconcileResult } from './receive.ts';
export type { ResourceValues } from '../resources/any-resource.ts';
export type { HandledResource, HandledValue, HandledValues } from './reads.ts';
