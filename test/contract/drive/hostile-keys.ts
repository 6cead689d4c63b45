/** Keys that caused errors in other gateways, or could cause some in key-path.ts. */

/** After garage (src/api/s3/list.rs): chosen to reveal every error of order or delimiter. */
const orderKeys = ['a', 'a/a', 'a/b', 'a/c', 'a/d/a', 'a/é', 'a-b', 'a.b', 'a0', 'b', 'c']

const slashKeys = ['a/', 'a//', 'a//b', 'a/b/', '/', '//', '///', '/a', '/a/', '//a', 'c/', 'd/e/']

const dotKeys = [
  '.',
  '..',
  '...',
  './',
  '../',
  './a',
  '../a',
  'a/.',
  'a/..',
  'a/../b',
  'a/./b',
  '.a',
]

const escapeKeys = [
  ...['%', '%25', '%2525', '%252525', '%2', '%2E', '%2e', '%2E%2E', '%252E', '%00', '%2500', '%2F'],
  ...['.%', '.%25', '.%2F', '.%252F', 'a/.%', 'a/.%2F', '%+', 'a%+', 'a%+/b', '100% true', 'a%'],
  ...['a.%file', 'a.%file/b', 'a.%25file', 'a.%file.%file', '.%file', '%file', 'b.%file', 'b/c'],
  ...['x.%file', 'x.%file/y', 'x', 'x/y', '%2E.%file', '%252E.%file', '..%file', '%25.%file'],
  ...['\0', '\0/a', 'a\0b', 'a\0%b', 'a%00b', 'a%2500b', 'a\0.%file'],
]

const characterKeys = [
  ...[
    'line\nfeed',
    'tab\t',
    '\r',
    '\u0001',
    '\u007f',
    ' ',
    ' a',
    'a ',
    'a /b',
    'a.',
    'a./b',
    'a...',
  ],
  ...[
    'con',
    'CON',
    'nul.txt',
    'aux/a',
    'a:b',
    'a\\b',
    '..\\a',
    'a*b?',
    '"<>|',
    "it's",
    '$HOME',
    '~',
  ],
  ...[
    '+',
    'a+b',
    'a b',
    '#',
    '?',
    '&',
    '-',
    '--help',
    '.bucketry',
    '.bucketry/tmp/x',
    '.git/config',
  ],
]

/** Composed and decomposed forms are two keys; U+FFFF comes before U+10000 in UTF-8. */
const unicodeKeys = [
  ...[
    'é',
    'e\u0301',
    'Å',
    'A\u030a',
    '\u212b',
    'ß',
    'ss',
    'İ',
    '日本語/写真',
    '😀',
    '😀/😀',
    '👩‍👩‍👧',
  ],
  ...['\uffff', '\ue000', '\ufffd', '\u{10000}', '\u{10ffff}', '\u{10ffff}/a', '\ud7ff', '\u2028'],
  ...['z\uffff', 'z\u{10000}', 'z\uffff/', 'z\u{10000}/'],
]

const cut = 'n'.repeat(253)
const longKeys = [
  ...[cut, `${cut}o`, `${cut}op`, `${cut}opq`, `${cut}opq/r`, `${cut}opq/`, `${cut}op/r`],
  // These sort between the ones above, and so does the folder of the cut ones.
  ...[`${cut}%`, `${cut}%+`, `${cut}%+/a`, `${cut}%-`, `${cut}o/a`, `${'n'.repeat(252)}~`, 'nn'],
  ...['n'.repeat(512), 'n'.repeat(1024), `${'n'.repeat(600)}/${'m'.repeat(400)}`],
  ...['é'.repeat(512), `x${'é'.repeat(300)}`, '😀'.repeat(256), `${'日'.repeat(90)}/a`],
  ...['/'.repeat(1024), './'.repeat(40), '../'.repeat(40), 'd/'.repeat(511), '%'.repeat(1024)],
  ...['\0'.repeat(1024), '%25'.repeat(341), '.%file'.repeat(170), `${'v'.repeat(249)}.%file`],
  ...[`${'v'.repeat(249)}`, `${'v'.repeat(249)}/a`, `${'w'.repeat(255)}`, `${'w'.repeat(255)}/a`],
]

export const hostileKeys: readonly string[] = [
  ...new Set(
    [orderKeys, slashKeys, dotKeys, escapeKeys, characterKeys, unicodeKeys, longKeys].flat(),
  ),
]
