import { toVariants, type ConformingVariant } from './conforming-variant.ts'

/** Variants that format the same JSON differently, or add fields. */
export const bodyVariants: ConformingVariant[] = [
  ...toVariants(
    'JSON can format a value in several ways, and the specification requires none of them',
    [
      ['json-fraction', { integers: 'fraction' }],
      ['json-exponent', { integers: 'exponent', ids: 'beyond-2^53' }],
      ['json-scientific', { integers: 'scientific', ids: 'random' }],
      ['json-indented', { layout: 'indented' }],
      ['json-tabs', { layout: 'tabs' }],
      ['json-spread', { layout: 'spread' }],
      ['json-members-reversed', { fieldOrder: 'reversed' }],
      ['json-members-alphabetical', { fieldOrder: 'alphabetical' }],
      ['json-escapes-non-ascii', { escapes: 'non-ascii' }],
      ['json-escapes-slash', { escapes: 'slash', petExtras: 'nested' }],
      ['json-escapes-everything', { escapes: 'everything' }],
      ['json-outer-whitespace', { padding: 'outer-whitespace' }],
    ],
  ),
  ...toVariants('Pet and Error have certain fields; others are not excluded', [
    ['pet-extras-flat', { petExtras: 'flat' }],
    ['pet-extras-nested', { petExtras: 'nested' }],
    ['error-extras-flat', { errorExtras: 'flat' }],
    ['error-extras-nested', { errorExtras: 'nested' }],
  ]),
  ...toVariants('"The set of `code` values and statuses other than those listed: not shown."', [
    ['error-codes-numeric', { errorCodes: 'numeric' }],
    ['error-codes-upper', { errorCodes: 'upper' }],
    ['error-codes-uri', { errorCodes: 'uri' }],
    ['error-messages-empty', { errorMessages: 'empty' }],
    ['error-messages-other-language', { errorMessages: 'other-language' }],
  ]),
]

/** Variants that use other options of HTTP. */
export const httpVariants: ConformingVariant[] = [
  ...toVariants('"application/json" is a media type; its letter case and parameters are free', [
    ['content-type-charset', { contentType: 'Application/JSON; charset=UTF-8' }],
    ['content-type-parameters', { contentType: 'application/json;charset=utf-8;foo=bar' }],
    ['content-type-quoted', { contentType: 'application/json ; charset="utf-8"' }],
  ]),
  ...toVariants('compression is negotiated by HTTP; the specification does not mention it', [
    ['encoding-gzip', { encoding: 'gzip' }],
    ['encoding-gzip-always', { encoding: 'gzip', encodingWhen: 'always' }],
    ['encoding-br', { encoding: 'br' }],
    ['encoding-br-always', { encoding: 'br', encodingWhen: 'always' }],
    ['encoding-deflate', { encoding: 'deflate' }],
    ['encoding-deflate-always', { encoding: 'deflate', encodingWhen: 'always' }],
  ]),
  ...toVariants('HTTP defines the framing of bodies and the lifetime of connections', [
    ['framing-chunked', { framing: 'chunked' }],
    ['framing-dribbled', { framing: 'dribbled', oddPets: true }],
    ['framing-close', { framing: 'close' }],
    ['framing-close-delimited', { framing: 'close-delimited' }],
    [
      'framing-close-delimited-gzip',
      { framing: 'close-delimited', encoding: 'gzip', encodingWhen: 'always' },
    ],
    ['keep-alive-1-ms', { keepAliveMs: 1 }],
    [
      'headers-upper-case',
      { headerCase: 'upper', pagingHeaders: 'link', deprecationHeaders: 'rfc' },
    ],
    ['reason-phrase', { reasonPhrase: 'own' }],
    ['early-hints', { chatter: 'early-hints' }],
    ['headers-echo', { chatter: 'echo' }],
    ['headers-chatty', { chatter: 'headers' }],
    ['caching-etag', { caching: 'etag' }],
    ['caching-no-store', { caching: 'no-store' }],
  ]),
  ...toVariants(
    '"When the key is missing or invalid, the service answers 401 with an Error body"; no header is specified',
    [
      ['challenge-absent', { challenge: 'absent' }],
      ['challenge-with-error', { challenge: 'bearer-with-error' }],
      ['challenge-other-header', { challenge: 'other-header' }],
      ['scheme-exact', { schemeCase: 'exact' }],
    ],
  ),
  ...toVariants('methods and paths outside the three operations are not described', [
    ['head-405', { head: 405 }],
    ['head-404', { head: 404 }],
    ['options-200', { options: 200 }],
    ['options-404', { options: 404 }],
    ['options-405', { options: 405 }],
    ['methods-unknown-404', { otherMethods: 404, head: 404, options: 404 }],
    ['methods-unknown-501', { otherMethods: 501, head: 501, options: 501 }],
    [
      'paths-unknown-html',
      { unknownPaths: 'html' },
      {
        doubt:
          '"Every error response carries an Error body" may be read as going beyond the operations.',
      },
    ],
    ['paths-unknown-need-key', { unknownPathsNeedKey: true }],
    ['trailing-slash-same', { trailingSlash: 'same' }],
    ['trailing-slash-redirect', { trailingSlash: 308 }],
    ['path-any-case', { pathCase: 'any' }],
    ['base-path-deeper', { prefix: '/shops/42/api', location: 'absolute' }],
    ['accept-406', { accept: 406 }],
    ['cors-full', { cors: 'full' }],
  ]),
]
