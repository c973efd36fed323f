export { formatMoney, type FormatOptions } from './format.ts';
export {
  addMoney,
  compareMoney,
  type ConversionOptions,
  type ConversionRate,
  type ConvertedMoney,
  convertMoney,
  type Currency,
  fromMsat,
  fromSat,
  isSameMoney,
  type Money,
  money,
  moneyIn,
  multiplyMoney,
  parseMoney,
  type RoundingOptions,
  roundMoney,
  subtractMoney,
  toMsat,
  toSat,
} from './money.ts';
export type { Rounding } from './decimal.ts';
