import { type Connection, shared } from './connection.ts';
import type { AnyRow, Drift } from './row.ts';

/** A listener that passes each finding on once in the client's life; none where nobody listens. */
export function driftListener(connection: Connection, row: AnyRow): ((finding: Drift) => void) | undefined {
  const { onDrift } = connection.settings;
  if (!onDrift) return undefined;
  const seen = shared(connection, 'core.drift', () => new Set<string>());
  return (finding) => {
    const key = `${row.path} ${finding.field} ${finding.text}`;
    if (seen.has(key)) return;
    seen.add(key);
    onDrift({ ...finding, path: row.path });
  };
}
