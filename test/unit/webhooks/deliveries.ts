// Deliveries as the service would send them.
import { signWebhook } from 'paystate/testing';
import type { RawDelivery } from 'paystate/webhooks';

export const NEW_SECRET = 'the new secret of this shop, 43 characters';
export const OLD_SECRET = 'the old secret of this shop';

export const EVENT = {
  id: '7a1c2b54-90de-4f7e-8f0a-3b6d5c4e2f10',
  eventType: 'invoice.updated',
  webhookVersion: 'v1',
  data: { entityId: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11', changes: ['state'] },
  created: '2026-03-04T09:15:44.9786861+00:00',
};

export const BODY: string = JSON.stringify(EVENT);

export const deliveryOf = (body: string, signature: string | undefined): RawDelivery => ({
  body: new TextEncoder().encode(body),
  headers: {
    'content-type': 'application/json',
    ...(signature !== undefined && { 'x-webhook-signature': signature }),
  },
});

export const requestOf = (
  body: BodyInit,
  signature: string | undefined,
  method = 'POST',
): Request =>
  new Request('https://shop.example/hooks/main', {
    method,
    headers: {
      'content-type': 'application/json',
      ...(signature !== undefined && { 'x-webhook-signature': signature }),
    },
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  });

export const signedRequest = async (body: string, secret: string): Promise<Request> =>
  requestOf(body, await signWebhook(body, secret));
