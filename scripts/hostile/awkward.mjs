// Awkward texts of our own making: 500 of them, the same each time.

const PIECES = [
  '', ' ', '.', '..', '...', '/', '//', '\\', '?', '#', '&', '=', '+', '%', '%00', '%2e', '%2e%2e', '%2f', '%252f', '%0d%0a', ';', ':', '@', ',', '|', '*', '~', '`', '^', '$', '!', '(', ')',
  '[', ']', '{', '}', '<', '>', '"', "'", "''", "'''", '\0', '\t', '\n', '\r', '\r\n', '\x0b', '\x1b', '\x7f', '\x80', '\u0085', '\u00a0', '\u00ad', '\u200b', '\u200f', '\u2028', '\u2029', '\u202e', '\ufeff',
  '\ufffd', '\uffff', '\ud800', '\udfff', '\ud83d', '\u{1f3ab}', '\u{10ffff}', 'é', 'e\u0301', 'ß', 'İ', 'ı', 'ﬀ', '日本', 'ا', '\u0130', 'a', 'A', '0', '-1', '1e9', 'NaN', 'null', 'undefined', 'true',
];

const SENTENCES = [
  "' or state eq 'PAID", "x' or 'a' eq 'a", "') or (state eq 'PAID", "' and created gt 2000-01-01T00:00:00Z or '' eq '", "x'--", "x';--", "' or 1 eq 1 or '", "%27 or 1 eq 1", "a' in ('b", '$filter=x', '&$filter=x', '?$top=1',
  '../', '../../', '..\\..\\', './x', 'x/..', 'x/../y', '%2e%2e%2f', '..%2f', '..;/', '/..;/', '/etc/passwd', '//evil.example', 'https://evil.example/', '@evil.example', 'x@evil.example', ':80', '.evil.example', '\\\\evil.example',
  'x\r\nHost: evil.example', 'x\nAuthorization: Bearer y', 'x\r\n\r\nGET / HTTP/1.1', 'x\u010d\u010ax', 'Bearer x', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '$&', '$1', '$`', '${x}', '{invoiceId}', '{{x}}', '%s%n', '#{x}',
  '<script>alert(1)</script>', '<img src=x onerror=y>', 'javascript:y', 'data:text/html,x', '"><svg>', '{"a":1}', '[1]', '"', '\\"', '\\u0000', '0x10', '1,5', '1.', '.5', '+1', '١٢', '1e400', '99999999999999999999999999', '0.0000000000000000000000001',
  '2026-03-04T09:15:00Z', '2026-03-04T09:15:00+02:00', '2026-02-30T00:00:00Z', "2026-03-04T09:15:00Z or state eq 'PAID'", '2026-03-04T09:15:00Z)', '0000-00-00T00:00:00Z', 'yesterday',
  'EUR', 'eur', 'lnbc1', 'LNBC1', 'bitcoin:x', 'lightning:x', 'lnurlp://x', '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11', '0B9E6A52-7C1D-4F0E-9A57-3D2F1C8B4E11',
];

const LONG = [
  'x'.repeat(36), 'x'.repeat(40), 'x'.repeat(41), 'x'.repeat(64), 'x'.repeat(100), 'x'.repeat(128), 'x'.repeat(200), 'x'.repeat(201), 'x'.repeat(2_047), 'x'.repeat(2_048), 'x'.repeat(2_049), 'x'.repeat(65_536),
  "'".repeat(500), '/'.repeat(500), '../'.repeat(200), '%'.repeat(500), '\u{1f3ab}'.repeat(500), '日'.repeat(700), '('.repeat(500), '\u0301'.repeat(500), ' '.repeat(500), '0'.repeat(500), '9'.repeat(500),
];

/** 500 texts: pieces, sentences, long ones, and pairs of pieces until there are enough. */
export const awkward = () => {
  const texts = new Set([...PIECES, ...SENTENCES, ...LONG]);
  for (let step = 0; texts.size < 500; step++) {
    const [one, two, three] = [1, 7, 31].map((factor) => PIECES[(step * factor + (step >> 3)) % PIECES.length]);
    texts.add(`${one}${step % 2 ? 'x' : ''}${two}${step % 3 ? '' : three}`);
  }
  return [...texts];
};
