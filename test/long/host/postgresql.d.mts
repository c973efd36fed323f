import type { PostgresqlDriver } from 'paystate/host';

export function openPostgresql(
  connectionString: string,
): Promise<PostgresqlDriver & { end(): Promise<void> }>;
