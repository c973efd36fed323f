export type { RawDelivery } from './delivery.ts';
export { signedWith, type WebhookEvent } from './event.ts';
export type { Effect, EventEffect, EventHandlers, Handler, Handlers, StateHandlers, Unforeseen } from './handlers.ts';
export { createInbox, type Inbox, type InboxOptions, type InboxStatus } from './inbox.ts';
export type { Noun, Nouns, Value } from './nouns.ts';
export type { Reconciled } from './reconcile.ts';
export { newWebhookSecret } from './secret.ts';
export type { Trouble } from './setup.ts';
export { signForTest, verifyWebhook, type VerifyOptions } from './verify.ts';
