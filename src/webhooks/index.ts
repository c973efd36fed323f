export type { RawDelivery } from './delivery.ts';
export { signedWith, type WebhookEvent } from './event.ts';
export { newWebhookSecret } from './secret.ts';
export { signForTest, verifyWebhook, type VerifyOptions } from './verify.ts';
