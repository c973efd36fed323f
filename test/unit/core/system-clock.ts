// The clock of the machine, as a client has it that was given none.
import { type Clock, createConnection } from 'paystate';
import { internalsOf } from './internals.ts';

export const systemClock: Clock = internalsOf(
  createConnection({ baseUrl: 'https://service.example', token: 'none' }),
).clock;
