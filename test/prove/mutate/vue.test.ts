import { it } from '../../api/mocha.ts';
import { playInPage } from './libraries.ts';

it('the tests of vue pass in a page', () => playInPage(['vue-entry.test.ts', 'plugin.test.ts']));
