/**
 * One line of JSON for each thing that happened: ids, states and reasons, never a secret or a name
 * of a customer.
 */
export function log(event: string, facts: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...facts }));
}
