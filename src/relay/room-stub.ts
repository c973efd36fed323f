import type { ObjectNamespace, ObjectStub } from './platform.ts';

/** The room of an invoice. */
export function roomFor(
  rooms: ObjectNamespace,
  account: string | undefined,
  invoiceId: string,
): ObjectStub {
  return rooms.get(rooms.idFromName(`${account ?? 'main'}/${invoiceId}`));
}
