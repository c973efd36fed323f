// The driver that processes share, as the chapter shows it for the package `pg`.
import { createRequire } from 'node:module';

export async function openPostgresql(connectionString) {
  const { Client, Pool } = createRequire(import.meta.url)('pg');
  // Whoever stalls within a transaction lets go of its rows.
  const pool = new Pool({ connectionString, idle_in_transaction_session_timeout: 5_000 });
  pool.on('error', () => {}); // of connections that were idle
  pool.on('connect', (connection) => connection.on('error', () => {})); // the others reject too
  return {
    dialect: 'postgresql',
    async batch(statements) {
      const connection = await pool.connect();
      try {
        await connection.query('BEGIN');
        const rows = [];
        for (const { sql, values } of statements)
          rows.push((await connection.query(sql, values)).rows);
        await connection.query('COMMIT');
        connection.release();
        return rows;
      } catch (error) {
        connection.release(true); // closed: what it had begun is taken back
        throw error;
      }
    },
    async listen(channel, heard, lost) {
      const client = new Client({ connectionString });
      client.on('notification', heard);
      client.on('error', lost);
      client.on('end', lost);
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      return () => void client.end();
    },
    end: () => pool.end(),
  };
}
