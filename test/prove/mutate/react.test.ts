import { it } from '../../api/mocha.ts';
import { playInPage } from './libraries.ts';

it('the tests of react pass in a page', () =>
  playInPage(['react-entry.test.tsx', 'provider.test.tsx', 'suspense.test.tsx']));
