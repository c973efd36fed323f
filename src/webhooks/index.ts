export type { RawDelivery } from './delivery.ts';
export { secretIndexOf, type WebhookEvent } from './event.ts';
export type {
  EventHandlerContext,
  EventHandlers,
  Handler,
  HandlerContext,
  Handlers,
  StateHandlers,
  UnhandledEvent,
} from './handlers.ts';
export { createInbox } from './inbox.ts';
export type { Inbox, InboxOptions, InboxStatus } from './inbox-interface.ts';
export type { ReconcileResult } from './reconcile.ts';
export type { ResourceValues } from '../resources/any-resource.ts';
export type { HandledResource, HandledValue, HandledValues } from './resources.ts';
export { generateWebhookSecret } from './secret.ts';
export type { InboxProblem, NotOurs, ResourceReads } from './setup.ts';
export { verifyWebhook, type VerifyOptions } from './verify.ts';
