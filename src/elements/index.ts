export { qrSvg, type QrOptions } from './qr.ts';
