import { badInput } from '../../core/errors/index.ts';
import { hexOf } from '../world/randomness.ts';
import { storeOf, type World } from '../world/world.ts';

/** Thrown where the login server says no; becomes an error of the protocol. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  constructor(error: string, status = 400) {
    super(error);
    this.error = error;
    this.status = status;
  }
}

/** A program that asks users for access. Lifetimes in milliseconds of the sandbox's clock. */
export interface OAuthClientDraft {
  /** Its name on the wire; drawn. */
  readonly clientId?: string | undefined;
  /** A client without one is public, as a page is; none. */
  readonly clientSecret?: string | undefined;
  /**
   * Where users are sent back to, compared character by character; `https://app.example/callback`.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /** Programs on this machine are sent back to any address of it; false. */
  readonly loopback?: boolean | undefined;
  /** The most it may ask for; everything. */
  readonly scopes?: readonly string[] | undefined;
  /** How long its access tokens live; an hour. */
  readonly accessTokenLifetime?: number | undefined;
  /** How long each of its refresh tokens lives; 30 days. */
  readonly refreshTokenLifetime?: number | undefined;
  /** Whether a refresh brings a new refresh token and ends the old one; true. */
  readonly rotates?: boolean | undefined;
}

/** A registered client; lifetimes in milliseconds. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUris: readonly string[];
  readonly loopback: boolean;
  readonly scopes: readonly string[] | undefined;
  readonly accessTokenLifetime: number;
  readonly refreshTokenLifetime: number;
  readonly rotates: boolean;
}

const HOUR = 3_600_000;
const MONTH = 2_592_000_000;

function clientsOf(world: World): Map<string, OAuthClient> {
  return storeOf(world, 'oauth.clients', () => new Map<string, OAuthClient>());
}

export function addClient(world: World, draft: OAuthClientDraft): OAuthClient {
  const {
    redirectUris = ['https://app.example/callback'],
    accessTokenLifetime = HOUR,
    refreshTokenLifetime = MONTH,
    rotates = true,
    loopback = false,
    clientSecret,
    scopes,
  } = draft;
  const clients = clientsOf(world);
  const clientId =
    draft.clientId ?? `app-${hexOf(world.random.bytes('oauth/client', clients.size)).slice(0, 12)}`;
  if (clients.has(clientId)) throw badInput('clientId', 'two clients have the same name');
  if (redirectUris.length === 0) throw badInput('redirectUris', 'must name at least one address');
  for (const [name, lifetime] of Object.entries({ accessTokenLifetime, refreshTokenLifetime }))
    if (!Number.isSafeInteger(lifetime) || lifetime < 0)
      throw badInput(name, 'must be a number of milliseconds, 0 or more');
  const client = {
    clientId,
    clientSecret,
    redirectUris,
    loopback,
    scopes,
    rotates,
    accessTokenLifetime,
    refreshTokenLifetime,
  };
  clients.set(clientId, client);
  return client;
}

export function clientOf(world: World, clientId: string | null): OAuthClient | undefined {
  return clientId === null ? undefined : clientsOf(world).get(clientId);
}

/** Whether a client's users may be sent there. */
export function isRegistered({ redirectUris, loopback }: OAuthClient, address: string): boolean {
  return (
    redirectUris.includes(address) ||
    (loopback && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?\/[^#\\]*$/.test(address))
  );
}

/** The client that a request shows itself to be: by its header, or in its body; never both. */
export function authenticateClient(
  world: World,
  headers: Headers,
  form: URLSearchParams,
): OAuthClient {
  const basic = basicOf(headers);
  if (basic && form.has('client_secret')) throw new OAuthError('invalid_request');
  const [clientId, secret] = basic ?? [
    form.get('client_id'),
    form.get('client_secret') ?? undefined,
  ];
  const client = clientOf(world, clientId);
  if (!client || client.clientSecret !== secret || (form.get('client_id') ?? clientId) !== clientId)
    throw new OAuthError('invalid_client', 401);
  return client;
}

function basicOf(headers: Headers): readonly [string, string] | undefined {
  const [, text] = /^Basic +([\w+/=]+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (text === undefined) return undefined;
  try {
    const [name, secret, ...rest] = atob(text)
      .split(':')
      .map((part) => decodeURIComponent(part.replace(/\+/g, ' ')));
    if (name !== undefined && secret !== undefined && rest.length === 0) return [name, secret];
  } catch {
    // not base64, or a percent sign that means nothing
  }
  throw new OAuthError('invalid_client', 401);
}
