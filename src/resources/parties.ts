import type { Open } from '../core/errors/index.ts';

/** The address of a person or a company. */
export interface Address {
  /** ISO 3166-1 alpha-2, such as "DE". */
  readonly country: string;
  /** State or region; two letters for the USA. */
  readonly state?: string | undefined;
  /** Town. */
  readonly city: string;
  /** Postal code. */
  readonly postCode: string;
  /** Street and number. */
  readonly line1: string;
}

/** A person or a company at one end of a bank transfer. */
export interface Party {
  /** A person or a company. */
  readonly type: Open<'INDIVIDUAL' | 'COMPANY'>;
  /** 1 to 100 characters. */
  readonly name: string;
  /** The address of its home or seat. */
  readonly address?: Address | undefined;
  /** For a person: yyyy-MM-dd. */
  readonly dateOfBirth?: string | undefined;
  /** For a company. */
  readonly email?: string | undefined;
  /** For a company. */
  readonly phoneNumber?: string | undefined;
  /** For a company. */
  readonly url?: string | undefined;
}
