export { fromMsat, fromSat, toMsat, toSat } from './bitcoin.ts';
export type { ConversionOptions, ConvertedMoney } from './convert.ts';
export { convertMoney } from './convert.ts';
export type { FormatOptions } from './format.ts';
export { formatMoney } from './format.ts';
export type { ConversionRate, Currency, Money, Rounding } from './model.ts';
export type { RoundingOptions } from './money.ts';
export {
  addMoney,
  compareMoney,
  isSameMoney,
  money,
  multiplyMoney,
  parseMoney,
  roundMoney,
  subtractMoney,
} from './money.ts';
