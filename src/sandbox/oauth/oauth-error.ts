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
