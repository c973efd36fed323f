import type { RoomContract } from './contracts.ts';
import { type Caller, callerOf } from './calls.ts';
import type { ObjectNamespace, ObjectStub } from './platform.ts';

/** The room of an invoice. */
export function roomFor(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): ObjectStub {
  return rooms.get(rooms.idFromName(`${accountName ?? 'main'}/${invoiceId}`));
}

/** The way to ask the room of an invoice. */
export function roomCaller(
  rooms: ObjectNamespace,
  accountName: string | undefined,
  invoiceId: string,
): Caller<RoomContract> {
  return callerOf<RoomContract>(() => roomFor(rooms, accountName, invoiceId));
}
