// The parts of the database-backed relay that hosting code uses.
export { AccountRows } from './account-rows.ts';
export { type AccountHandlers, checkAccountHandlers } from './account-inbox.ts';
export { Gateway, findNetwork } from './relay.ts';
export { OrderSeals, PageTokens, type TokenSettings } from './tokens.ts';
export { Pages } from './pages.ts';
export type { RelayStore } from './relay-store.ts';
export { RelayTables, type RelayTablesOptions, signOfLife, signsFrom } from './relay-tables.ts';
export { refusalBy, refusalResponse } from './calls.ts';
export type { LeaseHolder, RowsTransaction } from './rows-inbox-store.ts';
export { SqlRelayStore } from './sql-relay-store.ts';
