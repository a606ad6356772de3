import { toTwins, type LawfulTwin } from './lawful-twin.ts'

/** Twins that spell the same JSON differently, or say more than they must. */
export const bodyTwins: LawfulTwin[] = [
  ...toTwins('JSON has many spellings of one value, and the specification asks for none of them', [
    ['json-fraction', 'Integers are spelled 7.0', { integers: 'fraction' }],
    ['json-exponent', 'Integers are spelled 7e0', { integers: 'exponent', ids: 'beyond-2^53' }],
    ['json-scientific', 'Integers are spelled 1.0E+1', { integers: 'scientific', ids: 'random' }],
    ['json-indented', 'Bodies are indented', { layout: 'indented' }],
    ['json-tabs', 'Bodies are indented by tabs and have CRLF line ends', { layout: 'tabs' }],
    ['json-spread', 'There is a space around each colon', { layout: 'spread' }],
    ['json-members-reversed', 'Members come in reverse order', { memberOrder: 'reversed' }],
    ['json-members-alphabetical', 'Members come in alphabetical order', { memberOrder: 'alphabetical' }],
    ['json-escapes-non-ascii', 'All that is not ASCII is escaped', { escapes: 'non-ascii' }],
    ['json-escapes-slash', 'Each slash is escaped', { escapes: 'slash', petExtras: 'nested' }],
    ['json-escapes-everything', 'Each character is escaped, in names of members, too', { escapes: 'everything' }],
    ['json-outer-whitespace', 'There is whitespace before and after the value', { padding: 'outer-whitespace' }],
  ]),
  ...toTwins('a Pet and an Error have certain members, and others are not excluded', [
    ['pet-extras-flat', 'A Pet has tags, createdAt and more', { petExtras: 'flat' }],
    ['pet-extras-nested', 'A Pet has nested members that look like those of a Pet', { petExtras: 'nested' }],
    ['error-extras-flat', 'An Error has requestId, timestamp and details', { errorExtras: 'flat' }],
    ['error-extras-nested', 'An Error has nested members that look like those of an Error', { errorExtras: 'nested' }],
  ]),
  ...toTwins('"The set of `code` values and statuses other than those listed: not shown."', [
    ['error-codes-numeric', 'Codes are strings of digits', { errorCodes: 'numeric' }],
    ['error-codes-upper', 'Codes are in upper case', { errorCodes: 'upper' }],
    ['error-codes-uri', 'Codes are URIs', { errorCodes: 'uri' }],
    ['error-messages-empty', 'Messages are empty', { errorMessages: 'empty' }],
    ['error-messages-other-language', 'Messages are in other languages', { errorMessages: 'other-language' }],
  ]),
]

/** Twins that differ in what HTTP leaves to a server. */
export const httpTwins: LawfulTwin[] = [
  ...toTwins('"application/json" is a media type, whose letter case and parameters are free', [
    [
      'content-type-charset',
      'The media type is in mixed case, with a charset',
      { contentType: 'Application/JSON; charset=UTF-8' },
    ],
    [
      'content-type-parameters',
      'The media type has an unknown parameter and no spaces',
      { contentType: 'application/json;charset=utf-8;foo=bar' },
    ],
    ['content-type-quoted', 'The charset is quoted', { contentType: 'application/json ; charset="utf-8"' }],
  ]),
  ...toTwins('compression is negotiated by HTTP, of which the specification says nothing', [
    ['encoding-gzip', 'Bodies are compressed with gzip when asked', { encoding: 'gzip' }],
    ['encoding-gzip-always', 'Bodies are always compressed with gzip', { encoding: 'gzip', encodingWhen: 'always' }],
    ['encoding-br', 'Bodies are compressed with brotli when asked', { encoding: 'br' }],
    ['encoding-br-always', 'Bodies are always compressed with brotli', { encoding: 'br', encodingWhen: 'always' }],
    ['encoding-deflate', 'Bodies are compressed with deflate when asked', { encoding: 'deflate' }],
    [
      'encoding-deflate-always',
      'Bodies are always compressed with deflate',
      { encoding: 'deflate', encodingWhen: 'always' },
    ],
  ]),
  ...toTwins('how a body is framed and how long a connection lives is the affair of HTTP', [
    ['framing-chunked', 'Bodies come in two chunks without a Content-Length', { framing: 'chunked' }],
    ['framing-dribbled', 'Bodies come in small chunks that part characters', { framing: 'dribbled', oddPets: true }],
    ['framing-close', 'The connection is closed after each answer', { framing: 'close' }],
    ['framing-close-delimited', 'The end of the connection is the end of the body', { framing: 'close-delimited' }],
    [
      'framing-close-delimited-gzip',
      'The end of the connection is the end of a compressed body',
      { framing: 'close-delimited', encoding: 'gzip', encodingWhen: 'always' },
    ],
    ['keep-alive-1-ms', 'A connection is closed when it is idle for a millisecond', { keepAliveMs: 1 }],
    [
      'headers-upper-case',
      'Names of headers are in upper case',
      { headerCase: 'upper', pagingHeaders: 'link', deprecationHeaders: 'rfc' },
    ],
    ['reason-phrase', 'The reason phrase is not the usual one', { reasonPhrase: 'own' }],
    ['early-hints', 'Each answer is preceded by 103 Early Hints', { chatter: 'early-hints' }],
    ['headers-echo', 'The Authorization header comes back in a header', { chatter: 'echo' }],
    ['headers-chatty', 'There are cookies and other headers', { chatter: 'headers' }],
    ['caching-etag', 'Answers carry ETag and Cache-Control', { caching: 'etag' }],
    ['caching-no-store', 'Answers carry Cache-Control: no-store', { caching: 'no-store' }],
  ]),
  ...toTwins(
    '"When the key is missing or invalid, the service answers 401 with an Error body", and no header is named',
    [
      ['challenge-absent', 'A 401 has no WWW-Authenticate', { challenge: 'absent' }],
      ['challenge-with-error', 'A 401 has two challenges with parameters', { challenge: 'bearer-with-error' }],
      [
        'challenge-other-header',
        'A 401 has a header of its own and closes the connection',
        { challenge: 'other-header' },
      ],
      ['scheme-exact', 'The scheme is accepted as `Bearer` only', { schemeCase: 'exact' }],
    ],
  ),
  ...toTwins('methods and paths outside the three operations are not described', [
    ['head-405', 'HEAD gets 405', { head: 405 }],
    ['head-404', 'HEAD gets 404', { head: 404 }],
    ['options-200', 'OPTIONS gets 200', { options: 200 }],
    ['options-404', 'OPTIONS gets 404', { options: 404 }],
    ['options-405', 'OPTIONS gets 405', { options: 405 }],
    ['methods-unknown-404', 'Other methods get 404', { otherMethods: 404, head: 404, options: 404 }],
    ['methods-unknown-501', 'Other methods get 501', { otherMethods: 501, head: 501, options: 501 }],
    [
      'paths-unknown-html',
      'A path outside the operations gets a 404 page in HTML',
      { unknownPaths: 'html' },
      { doubt: '"Every error response carries an Error body" may be read as going beyond the operations.' },
    ],
    ['paths-unknown-need-key', 'A path outside the operations gets 401 without a key', { unknownPathsNeedKey: true }],
    ['trailing-slash-same', 'A slash behind a path changes nothing', { trailingSlash: 'same' }],
    ['trailing-slash-redirect', 'A slash behind a path is redirected with 308', { trailingSlash: 308 }],
    ['path-any-case', 'Paths are accepted in any letter case', { pathCase: 'any' }],
    ['base-path-deeper', 'The base URL has a path before /v1', { prefix: '/shops/42/api', location: 'absolute' }],
    ['accept-406', 'A request that does not accept JSON gets 406', { accept: 406 }],
    ['cors-full', 'Any origin may read, and a preflight needs no key', { cors: 'full' }],
  ]),
]
