export {
  type ConversionOptions,
  type ConvertedMoney,
  convertMoney,
  fromMsat,
  fromSat,
  toMsat,
  toSat,
} from './convert.ts';
export { formatMoney, type FormatOptions } from './format.ts';
export {
  addMoney,
  compareMoney,
  type ConversionRate,
  type Currency,
  isSameMoney,
  type Money,
  money,
  multiplyMoney,
  parseMoney,
  type RoundingOptions,
  roundMoney,
  subtractMoney,
} from './money.ts';
export type { Rounding } from './decimal.ts';
