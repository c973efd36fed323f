import type { Open } from '../core/errors/index.ts';

/** Where a person lives or a company works. */
export interface Address {
  /** ISO 3166-1 alpha-2, such as "DE". */
  readonly country: string;
  /** State or region; of the USA two letters. */
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
  /** Where the party lives or has its seat. */
  readonly address?: Address | undefined;
  /** Of a person: yyyy-MM-dd. */
  readonly dateOfBirth?: string | undefined;
  /** Of a company. */
  readonly email?: string | undefined;
  /** Of a company. */
  readonly phoneNumber?: string | undefined;
  /** Of a company. */
  readonly url?: string | undefined;
}
