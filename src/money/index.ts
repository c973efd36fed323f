export { fromMsat, fromSat, toMsat, toSat } from './bitcoin.ts';
export type { ConversionOptions, Converted } from './convert.ts';
export { convertMoney, isStale } from './convert.ts';
export { digitsOf } from './currencies.ts';
export type { FormatOptions } from './format.ts';
export { formatMoney } from './format.ts';
export type { Currency, Money, Rate, Rounding } from './model.ts';
export type { RoundingOptions } from './money.ts';
export {
  addMoney, compareMoney, isMoney, money, multiplyMoney, parseMoney, roundMoney, sameMoney, subtractMoney,
} from './money.ts';
