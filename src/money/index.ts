export { fromMsat, fromSat, toMsat, toSat } from './bitcoin.ts';
export type { ConversionOptions, Converted } from './convert.ts';
export { convertMoney } from './convert.ts';
export type { FormatOptions } from './format.ts';
export { formatMoney } from './format.ts';
export type { Currency, Money, Rate, Rounding } from './model.ts';
export type { RoundingOptions } from './money.ts';
export { addMoney, compareMoney, money, multiplyMoney, parseMoney, roundMoney, sameMoney, subtractMoney } from './money.ts';
