// All sections, in the order in which they are played.
import { authentication, scopes } from './facts/authentication.mjs';
import { errors } from './facts/errors.mjs';
import { invoices, invoicesForOthers } from './facts/invoices.mjs';

export const sections = [authentication, scopes, errors, invoices, invoicesForOthers];
