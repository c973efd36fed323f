/** What a sandbox's control says, as loosely as a page takes it. */
export type Said = Readonly<Record<string, unknown>>;

const CONTROL = '/_sandbox/';

/**
 * Asks the control of the sandbox that this page came from; rejects with what it says where it
 * refuses.
 */
export async function ask<T = Said>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(CONTROL + path, {
    method,
    headers: { 'x-paystate-control': '1', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const said = (await answer.json()) as T & { readonly message?: string };
  if (!answer.ok) throw new Error(said.message ?? `status ${answer.status}`);
  return said;
}
