import { CONTROL_HEADER, CONTROL_PATH } from '../sandbox/host/control.ts';

/** A key, as the control shows it. */
export interface ShownKey {
  readonly apiKey: string;
  readonly isRevoked: boolean;
}

/** An account, as the control shows it. */
export interface ShownAccount {
  readonly handle: string;
  readonly apiKeys: readonly ShownKey[];
}

/** Asks the control of a served sandbox for all accounts. */
export async function shownAccounts(url: string): Promise<readonly ShownAccount[]> {
  return (
    await fetch(`${url}${CONTROL_PATH}accounts`, { headers: { [CONTROL_HEADER]: '1' } })
  ).json() as Promise<readonly ShownAccount[]>;
}
