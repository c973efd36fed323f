export type { RawDelivery } from './delivery.ts';
export { signedWith, type WebhookEvent } from './event.ts';
export type {
  Effect,
  EventEffect,
  EventHandlers,
  Handler,
  Handlers,
  StateHandlers,
  Unforeseen,
} from './handlers.ts';
export { createInbox } from './inbox.ts';
export type { Inbox, InboxOptions, InboxStatus } from './model.ts';
export type { Noun, Nouns, Value } from './nouns.ts';
export type { Reconciled } from './reconcile.ts';
export { newWebhookSecret } from './secret.ts';
export type { NotOurs, Trouble } from './setup.ts';
export { signForTest, verifyWebhook, type VerifyOptions } from './verify.ts';
