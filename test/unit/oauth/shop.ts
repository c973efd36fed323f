// A user's login at the sandbox's login server, and a client that lives on it.
import { type Client, createClient } from 'paystate';
import { createLogin, type Login, type LoginOptions } from 'paystate/oauth';
import { createSandbox, type OAuthClientDraft, type Sandbox, type Visitor } from 'paystate/sandbox';

export const TOKEN_PATH = '/connect/token';

export interface LoggedIn {
  readonly sandbox: Sandbox;
  readonly options: LoginOptions;
  readonly login: Login;
  readonly client: Client;
  readonly run: Sandbox['run'];
  /** Begins, lets the user answer, finishes. */
  logIn(visitor?: Visitor): Promise<void>;
  /** Requests to the token endpoint so far. */
  asked(): number;
}

export const openLogin = (
  draft: OAuthClientDraft = {},
  more: Partial<LoginOptions> = {},
  sandbox: Sandbox = createSandbox({ signed: false }),
): LoggedIn => {
  const options: LoginOptions = { ...sandbox.oauth.registerClient(draft), ...more };
  const login = createLogin(options);
  return {
    sandbox,
    options,
    login,
    run: sandbox.run,
    client: clientOn(sandbox, login),
    logIn: (visitor) => sandbox.run(walk(sandbox, login, visitor)),
    asked: () => sandbox.log.filter(({ path }) => path === TOKEN_PATH).length,
  };
};

const walk = async (sandbox: Sandbox, login: Login, visitor?: Visitor): Promise<void> => {
  const { url } = await login.begin();
  await login.finish(await sandbox.oauth.visit(url, visitor));
};

/** A client whose only credential is a token. */
export const clientOn = (sandbox: Sandbox, { token }: Pick<Login, 'token'>): Client =>
  createClient({ ...sandbox.clientOptions, apiKey: undefined, token });

/** Logged in at once. */
export const loggedIn = async (
  draft: OAuthClientDraft = {},
  more: Partial<LoginOptions> = {},
): Promise<LoggedIn> => {
  const shop = openLogin(draft, more);
  await shop.logIn();
  return shop;
};
