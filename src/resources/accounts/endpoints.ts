import type { Row } from '../../core/row.ts';
import { reading } from '../rows.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';
import { AccountLimitsSchema, AccountProfileSchema } from './schemas.ts';

const ALL = '/v1/accounts';
const SCOPE = 'partner.account.profile.read';

/** @source seed */
export const findLimits: Row<{}, void, AccountLimits> = reading(`${ALL}/limits`, `${SCOPE}-own`, AccountLimitsSchema);

/** @source seed */
export const findProfile: Row<{ accountId: AccountId }, void, AccountProfile> = reading(`${ALL}/{accountId}/profile`, SCOPE, AccountProfileSchema);

/** @source seed */
export const findProfileByHandle: Row<{ handle: string }, void, AccountProfile> = reading(`${ALL}/handle/{handle}/profile`, SCOPE, AccountProfileSchema);
