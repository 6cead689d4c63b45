import type { CorsRule } from '../../../../src/storage/buckets/cors-rules.ts'
import { settings, vectors } from './sigv4/signed-request.ts'

/** A request within the limits on headers that is as costly as possible to process. */
export interface HostileRequest {
  readonly title: string
  readonly method?: string
  readonly target: string
  /** Name, value, name, value … */
  readonly rawHeaders: readonly string[]
}

/** Bytes of a whole header section that node:http accepts here. */
const sectionBytes = 64 * 1024
const scope = `${settings.accessKey}/20130524/us-east-1/s3/aws4_request`
const signature = '0'.repeat(64)
const usual = ['Host', 'localhost:9000', 'X-Amz-Date', vectors.amzDate] as const
const usualNames = 'host;x-amz-date'

function authorization(names: string): readonly string[] {
  const value = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names}, Signature=${signature}`
  return ['Authorization', value]
}

/** As many numbered items as fit into `bytes`. */
function fill(bytes: number, make: (index: number) => string): string[] {
  const items: string[] = []
  for (let left = bytes; ; ) {
    const item = make(items.length)
    left -= item.length
    if (left < 0) return items
    items.push(item)
  }
}

const room = sectionBytes - 600
const numbered = (index: number) => index.toString(36).padStart(4, '0')
const emptyLines = (count: number) => Array.from({ length: count }, () => ['a', '']).flat()
const hundredNames = Array.from({ length: 98 }, (_, index) => `z${numbered(index)}`)

const signedHeaderLists: readonly HostileRequest[] = [
  {
    title: '28,000 signed names and 950 lines of a header `a`',
    target: '/bucket/key',
    rawHeaders: [
      ...usual,
      ...authorization(`${usualNames};${'a;'.repeat(28_000)}a`),
      ...emptyLines(950),
    ],
  },
  {
    title: 'signed names that are all different and sorted',
    target: '/bucket/key',
    rawHeaders: [...usual, ...authorization(fill(room, (i) => `a${numbered(i)};`).join(''))],
  },
  {
    title: '100 signed names that 900 headers share',
    target: '/bucket/key',
    rawHeaders: [
      ...usual,
      ...authorization([usualNames, ...hundredNames].join(';')),
      ...Array.from({ length: 900 }, (_, i) => [hundredNames[i % 98] ?? '', 'x'.repeat(50)]).flat(),
    ],
  },
  {
    title: 'one signed name of 60 KB',
    target: '/bucket/key',
    rawHeaders: [...usual, ...authorization(`${usualNames};${'y'.repeat(room - 200)}`)],
  },
  {
    title: '900 x-amz-meta-* headers that are not signed',
    target: '/bucket/key',
    rawHeaders: [
      ...usual,
      ...authorization(usualNames),
      ...Array.from({ length: 900 }, (_, i) => [`x-amz-meta-${numbered(i)}`, 'v']).flat(),
    ],
  },
  {
    title: '900 x-amz-checksum-* headers, which may stay unsigned',
    target: '/bucket/key',
    rawHeaders: [
      ...usual,
      ...authorization(usualNames),
      ...Array.from({ length: 900 }, (_, i) => [`x-amz-checksum-${numbered(i)}`, 'v']).flat(),
    ],
  },
]

const longValues: readonly HostileRequest[] = [
  ...['  a', ' a', ' \t', '\u00a0  ', ',', ', ', ' ,  '].map((run) => ({
    title: `a signed value of ${JSON.stringify(run)} repeated`,
    target: '/bucket/key',
    rawHeaders: [
      ...[...usual, 'X-Amz-Meta-A', `a${run.repeat(Math.floor(room / run.length))}b`],
      ...authorization(`${usualNames};x-amz-meta-a`),
    ],
  })),
  ...[',', 'a=,', '=,', 'a=b,', ' ', 'AWS4-HMAC-SHA256 ', '/', 'Credential='].map((run) => ({
    title: `an Authorization header of ${JSON.stringify(run)} repeated`,
    target: '/bucket/key',
    rawHeaders: [
      ...[...usual, 'Authorization'],
      `AWS4-HMAC-SHA256 ${run.repeat(Math.floor(room / run.length))}`,
    ],
  })),
  {
    title: 'an Authorization header of fields that are all different',
    target: '/bucket/key',
    rawHeaders: [
      ...[...usual, 'Authorization'],
      `AWS4-HMAC-SHA256 ${fill(room, (i) => `${numbered(i)}=,`).join('')}a=`,
    ],
  },
  {
    title: 'a credential of 60 KB of slashes',
    target: '/bucket/key',
    rawHeaders: [
      ...usual,
      'Authorization',
      `AWS4-HMAC-SHA256 Credential=${'/'.repeat(room)}, SignedHeaders=host, Signature=${signature}`,
    ],
  },
  {
    title: 'a signature, a Host and an accept-encoding with tabs of 20 KB each',
    target: '/bucket/key',
    rawHeaders: [
      ...['Host', 'h'.repeat(20_000), 'X-Amz-Date', vectors.amzDate],
      ...['Accept-Encoding', 'gzip,\t'.repeat(3_300), 'Authorization'],
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=accept-encoding;host;x-amz-date, Signature=${'0'.repeat(20_000)}`,
    ],
  },
]

const target = (title: string, path: string): HostileRequest => ({
  title,
  target: path,
  rawHeaders: [
    ...[...usual, 'Accept-Encoding', 'gzip'],
    ...authorization('accept-encoding;host;x-amz-date'),
  ],
})
const repeated = (unit: string) => unit.repeat(Math.floor(room / unit.length))

const paths: readonly HostileRequest[] = [
  '%41',
  '%',
  '%zz',
  '%C3%A9',
  '/',
  "'",
  '&',
  '+',
  '%2F',
  '.',
].map((unit) => target(`a path of ${unit} repeated`, `/bucket/${repeated(unit)}`))

const queries: readonly HostileRequest[] = [
  ...['&', 'a&', 'a=&', '=&', '%41&', '+&', 'x-amz-&', '%78-amz-a&', '%', '+', '%C3%A9', '='].map(
    (unit) => target(`a query of ${unit} repeated`, `/bucket?${repeated(unit)}`),
  ),
  target(
    'a query of 1,000 parameters in reverse order',
    `/bucket?${Array.from({ length: 1000 }, (_, i) => `%${(i % 64) + 16}${numbered(46_000 - i)}=${"'".repeat(50)}`).join('&')}`,
  ),
  target(
    'a presigned query of 900 header fields',
    `/bucket/key?${Array.from({ length: 900 }, (_, i) => `x-amz-meta-${numbered(i)}=%41%42%43`).join('&')}`,
  ),
].map((request) => request)

const presignedQuery = (more: string, names = 'host') =>
  `/bucket/key?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}` +
  `&X-Amz-Date=${vectors.amzDate}&X-Amz-Expires=60&X-Amz-SignedHeaders=${names}` +
  `&X-Amz-Signature=${signature}${more}`

const presigned: readonly HostileRequest[] = [
  [
    '900 header fields',
    presignedQuery(
      fill(room - 400, (i) => `&x-amz-meta-${numbered(i)}=%2541%20`)
        .slice(0, 900)
        .join(''),
    ),
  ],
  ['a security token of 60 KB', presignedQuery(`&X-Amz-Security-Token=${'%2B'.repeat(20_000)}`)],
  ['20,000 signed names', presignedQuery('', 'a%3B'.repeat(15_000))],
  ['a name of 20,000 escapes', presignedQuery(`&x-amz-${'%61'.repeat(20_000)}=`)],
].map(([title = '', path = '']) => ({
  title: `a presigned query with ${title}`,
  target: path,
  rawHeaders: [...usual],
}))

/** At the time of the tests, 1 May 2033 is to come. */
const versionTwoQuery = (path: string, more = '') =>
  `${path}?AWSAccessKeyId=${settings.accessKey}&Expires=1998518400&Signature=${'A'.repeat(27)}%3D${more}`

const versionTwo: readonly HostileRequest[] = [
  {
    title: 'a path of 4 KB of escapes',
    target: versionTwoQuery(`/bucket/${'%41'.repeat(1_300)}`),
    rawHeaders: [],
  },
  {
    title: 'a path of 60 KB',
    target: versionTwoQuery(`/bucket/${repeated('%zz')}`),
    rawHeaders: [],
  },
  {
    title: 'a value of 60 KB of parameters',
    target: versionTwoQuery('/bucket/key', `&response-expires=${repeated('%26responsE-')}`),
    rawHeaders: [],
  },
  {
    title: '900 headers',
    target: versionTwoQuery('/bucket/key'),
    rawHeaders: Array.from({ length: 900 }, (_, i) => [`x-amz-meta-${numbered(i)}`, 'v']).flat(),
  },
  {
    title: 'a header with runs of spaces',
    target: versionTwoQuery('/bucket/key'),
    rawHeaders: ['x-amz-meta-a', `a${repeated('  a')}`],
  },
].map(({ title, rawHeaders, ...sent }) => ({
  ...{ title: `a presigned query of Version 2 and ${title}`, ...sent },
  rawHeaders: [...usual.slice(0, 2), ...rawHeaders],
}))

/** Each header repeats a parameter, which makes it a signed one. */
const repeatedParameters: HostileRequest = {
  title: 'a presigned query with 450 header fields that are headers too',
  target: presignedQuery(
    Array.from({ length: 450 }, (_, i) => `&x-amz-meta-${numbered(i)}=%2541%20`).join(''),
  ),
  rawHeaders: [
    ...usual,
    ...Array.from({ length: 450 }, (_, i) => [`x-amz-meta-${numbered(i)}`, '%41']).flat(),
  ],
}

/** As many patterns as a document of 64 KiB has room for. */
export const hostileCorsRules: readonly CorsRule[] = [
  {
    allowedOrigins: ['*'],
    allowedMethods: ['GET'],
    allowedHeaders: Array.from({ length: 1_800 }, (_, index) => `A${index}*`),
    exposeHeaders: [],
  },
]

const preflights: readonly HostileRequest[] = (
  [
    ['15,500 headers', fill(room, (i) => `a${numbered(i)}`)],
    ['the same header 15,500 times', repeated('a17990,').split(',')],
    ['100 headers that only the last pattern allows', fill(799, (i) => `a1799-${i % 10}${i % 7}`)],
    ['60,000 empty names', repeated(',').split(',')],
  ] as const
).map(([title, names]) => ({
  title: `a preflight for ${title}`,
  method: 'OPTIONS',
  target: '/bucket/key',
  rawHeaders: [
    ...['Host', 'localhost:9000', 'Origin', 'https://a.example'],
    ...['Access-Control-Request-Method', 'GET', 'Access-Control-Request-Headers'],
    [...names, 'refused'].join(','),
  ],
}))

/** Requests with which an attacker who knows the access key could keep a process busy. */
export const hostileRequests: readonly HostileRequest[] = [
  ...signedHeaderLists,
  ...longValues,
  ...paths,
  ...queries,
  ...presigned,
  ...versionTwo,
  repeatedParameters,
  ...preflights,
]
