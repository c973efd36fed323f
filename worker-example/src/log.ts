/**
 * Writes one line of JSON about an event, with ids, states and reasons. It never has a secret or a
 * customer's name.
 */
export function log(event: string, facts: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...facts }));
}
