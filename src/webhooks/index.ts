export type { RawDelivery } from './delivery.ts';
export { secretIndexOf, type WebhookEvent } from './event.ts';
export type {
  HandlerContext,
  EventHandlerContext,
  EventHandlers,
  Handler,
  Handlers,
  StateHandlers,
  UnhandledEvent,
} from './handlers.ts';
export { createInbox } from './inbox.ts';
export type { Inbox, InboxOptions, InboxStatus } from './model.ts';
export type { HandledResource, ResourceValues, ResourceValue } from './resources.ts';
export type { ReconcileResult } from './reconcile.ts';
export { generateWebhookSecret } from './secret.ts';
export type { NotOurs, InboxProblem } from './setup.ts';
export { signForTest, verifyWebhook, type VerifyOptions } from './verify.ts';
