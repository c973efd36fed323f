import {
  decodeLnurl,
  encodeLnurl,
  metadataHash,
  parseDestination,
  parseLightningAddress,
  readPayRequest,
} from 'paystate/lightning';
import { describe } from '#test';
import { all, outcomeOf, vectorsIn } from './vectors.ts';

interface Vectors {
  bech32: { lnurl: string; url: string }[];
  notLnurl: { input: string }[];
  lud17: { input: string; url: string; tag: string }[];
  lightningAddress: { address: string; valid: boolean | null; url?: string }[];
  metadata: { metadata: string; valid: boolean; sha256: string }[];
  payRequest: { body: unknown; valid: boolean }[];
  callbackUrl: { url: string; valid: boolean | null }[];
}

const request = (change: object) =>
  outcomeOf(() =>
    readPayRequest({
      tag: 'payRequest',
      callback: 'https://service.example/',
      minSendable: 1,
      maxSendable: 2,
      metadata: '[["text/plain","x"]]',
      ...change,
    }),
  ).value;

/** As one path segment, the way it travels to the service. */
const travels = (text: string): boolean => decodeURIComponent(encodeURIComponent(text)) === text;

describe('vectors of LNURL', () => {
  const vectors = vectorsIn<Vectors>('lnurl/lnurl.json');
  if (!vectors) return;

  all(
    'LNURLs read',
    vectors.bech32,
    ({ lnurl, url }) => outcomeOf(() => decodeLnurl(lnurl)).value?.url === url && travels(lnurl),
  );
  all(
    'LNURLs written and read back',
    vectors.bech32,
    ({ url }) => decodeLnurl(encodeLnurl(url).toUpperCase()).url === url,
  );
  all(
    'other texts refused',
    vectors.notLnurl,
    ({ input }) => outcomeOf(() => decodeLnurl(input)).rule !== undefined,
  );
  all('schemes of LUD-17', vectors.lud17, ({ input, url, tag }) => {
    const { value } = outcomeOf(() => decodeLnurl(input));
    return value?.url === url && value.tag === tag;
  });
  all(
    'Lightning addresses',
    vectors.lightningAddress.filter(({ valid }) => valid !== null),
    ({ address, valid, url }) => {
      const { value } = outcomeOf(() => parseLightningAddress(address));
      return valid
        ? value?.url === url &&
            travels(address) &&
            parseDestination(address).kind === 'lightning-address'
        : value === undefined;
    },
  );
  all(
    'metadata, and its hash to the byte',
    vectors.metadata,
    ({ metadata, valid, sha256 }) =>
      (request({ metadata }) !== undefined) === valid && metadataHash(metadata) === sha256,
  );
  all(
    'requests to pay',
    vectors.payRequest,
    ({ body, valid }) => (outcomeOf(() => readPayRequest(body)).value !== undefined) === valid,
  );
  // Undecided there: loopback hosts, which only a developer's machine may take.
  // Addresses of IANA's special-purpose registries are refused, those for documentation (RFC 3849) among them.
  const isForDocumentation = (url: string): boolean => url.startsWith('https://[2001:db8:');
  all(
    'callbacks',
    vectors.callbackUrl,
    ({ url, valid }) =>
      (request({ callback: url }) !== undefined) === ((valid ?? false) && !isForDocumentation(url)),
  );
});
