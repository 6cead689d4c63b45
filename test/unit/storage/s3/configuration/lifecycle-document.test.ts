import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  lifecycleContent,
  parseLifecycle,
} from '../../../../../src/storage/s3/configuration/lifecycle-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'

const enabled = '<Status>Enabled</Status>'
const filter = '<Filter><Prefix>logs/</Prefix></Filter>'
const days = '<Expiration><Days>30</Days></Expiration>'
const abort =
  '<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>'
const larger = (size: number) => `<ObjectSizeGreaterThan>${size}</ObjectSizeGreaterThan>`
const ruleOf = (content: string) => `<Rule>${content}</Rule>`
const documentOf = (...rules: string[]) =>
  `<LifecycleConfiguration>${rules.join('')}</LifecycleConfiguration>`
const parse = (text: string, hasTags = true) =>
  parseLifecycle(Buffer.from(text), () => 'new', hasTags)

test('reads every element, and writes what it has read', () => {
  const rules = parse(
    documentOf(
      ruleOf(`<ID>one</ID>${filter}${enabled}${days}${abort}`),
      ruleOf(
        '<ID>two</ID><Prefix>old/</Prefix><Status>Disabled</Status>' +
          '<Expiration><Date>2030-01-31T00:00:00Z</Date></Expiration>',
      ),
      ruleOf(`<Filter/>${enabled}${abort}`),
    ),
  )
  assert.deepEqual(rules, [
    {
      ...{ id: 'one', prefix: 'logs/', prefixForm: 'filter', isEnabled: true },
      ...{ days: 30, abortUploadsDays: 7 },
    },
    {
      ...{ id: 'two', prefix: 'old/', prefixForm: 'rule', isEnabled: false },
      dateMs: Date.parse('2030-01-31T00:00:00Z'),
    },
    { id: 'new', prefix: '', prefixForm: 'none', isEnabled: true, abortUploadsDays: 7 },
  ])
  assert.deepEqual(parse(xmlDocument('LifecycleConfiguration', lifecycleContent(rules))), rules)
})

test('sizes, prefixes and tags come back as they were written', () => {
  const tag = '<Tag><Key>a</Key><Value>b</Value></Tag>'
  for (const condition of [
    larger(0),
    '<ObjectSizeLessThan>1099511627776</ObjectSizeLessThan>',
    tag,
    // As Terraform writes a rule with And and tags, and waits for the same.
    `<And><Prefix></Prefix>${larger(0)}${tag}</And>`,
    `<And><Prefix>logs/</Prefix>${larger(1)}<ObjectSizeLessThan>9</ObjectSizeLessThan></And>`,
    `<And>${larger(1)}${tag}</And>`,
  ]) {
    const rules = parse(filtered(condition))
    const written = xmlDocument('LifecycleConfiguration', lifecycleContent(rules))
    assert.ok(written.includes(`<Filter>${condition}</Filter>`), written)
  }
})

test('a date is midnight UTC', () => {
  const dated = (date: string) =>
    parse(documentOf(ruleOf(`${filter}${enabled}<Expiration><Date>${date}</Date></Expiration>`)))
  for (const date of [
    '2017-09-27',
    '2017-09-27Z',
    '2017-09-27T00:00:00.000Z',
    '2017-09-27T02:00:00+02:00',
  ]) {
    assert.equal(dated(date)[0]?.dateMs, Date.parse('2017-09-27T00:00:00Z'), date)
  }
  for (const date of ['20200101', '2020-02-30', '2020-13-01', '1969-12-31', 'soon', '']) {
    assert.throws(() => dated(date), { code: 'MalformedXML' }, date)
  }
  assert.throws(() => dated('2020-01-01T12:00:00Z'), { code: 'InvalidArgument' })
})

const noncurrentDays = '<NoncurrentDays>7</NoncurrentDays>'
const noncurrent = (content: string) =>
  `<NoncurrentVersionExpiration>${content}</NoncurrentVersionExpiration>`
const expiration = (content: string) => `<Expiration>${content}</Expiration>`
const markers = (text: string) => `<ExpiredObjectDeleteMarker>${text}</ExpiredObjectDeleteMarker>`

test('actions for versions come back as they were written', () => {
  for (const actions of [
    noncurrent(noncurrentDays),
    noncurrent(`${noncurrentDays}<NewerNoncurrentVersions>100</NewerNoncurrentVersions>`),
    expiration(markers('true')) + noncurrent(noncurrentDays) + abort,
    expiration(markers('false')),
  ]) {
    const rules = parse(documentOf(ruleOf(`<ID>i</ID>${filter}${enabled}${actions}`)))
    const written = xmlDocument('LifecycleConfiguration', lifecycleContent(rules))
    assert.ok(written.includes(`<Status>Enabled</Status>${actions}</Rule>`), written)
  }
})

const rule = (content: string) => documentOf(ruleOf(filter + enabled + content))
const filtered = (content: string) =>
  documentOf(ruleOf(`<Filter>${content}</Filter>${enabled}${days}`))

const refused: readonly (readonly [what: string, document: string, code: string, RegExp])[] = [
  ['no rules', documentOf(), 'MalformedXML', /no Rule/],
  ['another root', '<Other/>', 'MalformedXML', /LifecycleConfiguration/],
  ['an unknown element', rule(`${days}<X/>`), 'MalformedXML', /X/],
  ['no action', rule(''), 'InvalidRequest', /At least one action/],
  [
    'a wrong status',
    documentOf(ruleOf(`${filter}<Status>enabled</Status>${days}`)),
    'MalformedXML',
    /Status/,
  ],
  ['no status', documentOf(ruleOf(filter + days)), 'MalformedXML', /Status/],
  ['neither filter nor prefix', documentOf(ruleOf(enabled + days)), 'MalformedXML', /Filter/],
  ['filter and prefix', rule(`<Prefix/>${days}`), 'MalformedXML', /Filter/],
  ['zero days', rule('<Expiration><Days>0</Days></Expiration>'), 'InvalidArgument', /positive/],
  [
    'negative days',
    rule('<Expiration><Days>-1</Days></Expiration>'),
    'InvalidArgument',
    /positive/,
  ],
  [
    'days that are no number',
    rule('<Expiration><Days>x</Days></Expiration>'),
    'MalformedXML',
    /Days/,
  ],
  [
    'days of more than 32 bits',
    rule('<Expiration><Days>4294967297</Days></Expiration>'),
    'MalformedXML',
    /Days/,
  ],
  [
    'days and date',
    rule('<Expiration><Days>1</Days><Date>2020-01-01</Date></Expiration>'),
    'MalformedXML',
    /either/,
  ],
  ['an empty expiration', rule('<Expiration/>'), 'MalformedXML', /either/],
  ['two expirations', rule(days + days), 'MalformedXML', /more than one Expiration/],
  [
    'an abort without days',
    rule('<AbortIncompleteMultipartUpload/>'),
    'MalformedXML',
    /DaysAfterInitiation/,
  ],
  [
    'an abort after zero days',
    rule(
      '<AbortIncompleteMultipartUpload><DaysAfterInitiation>0</DaysAfterInitiation></AbortIncompleteMultipartUpload>',
    ),
    'InvalidArgument',
    /positive/,
  ],
  ['a long ID', rule(`<ID>${'i'.repeat(256)}</ID>${days}`), 'InvalidArgument', /255/],
  ['a long prefix', filtered(`<Prefix>${'ä'.repeat(513)}</Prefix>`), 'InvalidRequest', /1024/],
  [
    'an ID twice',
    documentOf(...new Array(2).fill(ruleOf(`<ID>i</ID>${filter}${enabled}${days}`))),
    'InvalidArgument',
    /unique/,
  ],
  [
    '1,001 rules',
    documentOf(...new Array(1001).fill(ruleOf(filter + enabled + days))),
    'InvalidRequest',
    /1000/,
  ],
  [
    'Transition',
    rule(`${days}<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>`),
    'NotImplemented',
    /element Transition/,
  ],
  [
    'NoncurrentVersionTransition',
    rule('<NoncurrentVersionTransition/>'),
    'NotImplemented',
    /element NoncurrentVersionTransition/,
  ],
  ...(
    [
      ['<NoncurrentDays>0</NoncurrentDays>', 'InvalidArgument', /'NoncurrentDays' .* positive/],
      ['', 'MalformedXML', /no NoncurrentDays/],
      ['<NewerNoncurrentVersions>1</NewerNoncurrentVersions>', 'MalformedXML', /NoncurrentDays/],
      ['<Days>1</Days>', 'MalformedXML', /Days/],
      [
        `${noncurrentDays}<NewerNoncurrentVersions>0</NewerNoncurrentVersions>`,
        'InvalidArgument',
        /positive/,
      ],
      [
        `${noncurrentDays}<NewerNoncurrentVersions>101</NewerNoncurrentVersions>`,
        'InvalidArgument',
        /exceed 100/,
      ],
    ] as const
  ).map(([content, code, reason]) => {
    return [`noncurrent: ${content}`, rule(noncurrent(content)), code, reason] as const
  }),
  [
    'newer versions with the older prefix',
    documentOf(
      ruleOf(
        `<Prefix/>${enabled}${noncurrent(`${noncurrentDays}<NewerNoncurrentVersions>1</NewerNoncurrentVersions>`)}`,
      ),
    ),
    'MalformedXML',
    /needs a Filter/,
  ],
  [
    'days with markers',
    rule(expiration(`<Days>1</Days>${markers('true')}`)),
    'MalformedXML',
    /either/,
  ],
  ['markers of no boolean', rule(expiration(markers('yes'))), 'MalformedXML', /true or false/],
  [
    'markers with tags',
    documentOf(
      ruleOf(
        `<Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>${enabled}${expiration(markers('true'))}`,
      ),
    ),
    'InvalidRequest',
    /with Tags/,
  ],
  ['a tag without a value', filtered('<Tag><Key>a</Key></Tag>'), 'MalformedXML', /Key and Value/],
  [
    'a size below zero',
    filtered('<ObjectSizeGreaterThan>-1</ObjectSizeGreaterThan>'),
    'MalformedXML',
    /ObjectSizeGreaterThan must be a whole number/,
  ],
  [
    'sizes that no object has',
    filtered(`<And>${larger(7)}<ObjectSizeLessThan>7</ObjectSizeLessThan></And>`),
    'InvalidRequest',
    /must be less than/,
  ],
  ['And with a prefix alone', filtered('<And><Prefix>a</Prefix></And>'), 'MalformedXML', /several/],
  [
    'a size for uploads',
    documentOf(ruleOf(`<Filter>${larger(1)}</Filter>${enabled}${abort}`)),
    'InvalidRequest',
    /cannot be specified with object sizes/,
  ],
]

for (const [what, document, code, message] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => parse(document),
      (error) => error instanceof S3Error && error.code === code && message.test(error.message),
    )
  })
}

test('reads filters by tag, and writes what it has read', () => {
  const tag = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`
  const and = `<And><Prefix>logs/</Prefix>${tag('a', '1')}${tag('b', '')}</And>`
  const filters = [tag('a', '1'), and, `<And>${tag('a', '1')}${tag('b', '2')}</And>`]
  const text = documentOf(
    ...filters.map((one, id) => ruleOf(`<ID>${id}</ID><Filter>${one}</Filter>${enabled}${days}`)),
  )
  const rules = parse(text)
  assert.deepEqual(
    rules.map(({ prefix, tags }) => ({ prefix, tags })),
    [
      { prefix: '', tags: { a: '1' } },
      { prefix: 'logs/', tags: { a: '1', b: '' } },
      { prefix: '', tags: { a: '1', b: '2' } },
    ],
  )
  const written = xmlDocument('LifecycleConfiguration', lifecycleContent(rules))
  for (const one of filters) assert.ok(written.includes(`<Filter>${one}</Filter>`), written)
  assert.throws(() => parse(text, false), isS3Error('NotImplemented'))
  const abort =
    '<AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>'
  const refused: [string, string][] = [
    [`<Filter>${tag('a', '1')}</Filter>${enabled}${abort}`, 'InvalidRequest'],
    [`<Filter>${tag('a', '1')}${tag('b', '1')}</Filter>${enabled}${days}`, 'MalformedXML'],
    [`<Filter><Prefix/>${tag('b', '1')}</Filter>${enabled}${days}`, 'MalformedXML'],
    [`<Filter><And><Prefix>a</Prefix></And></Filter>${enabled}${days}`, 'MalformedXML'],
    [`<Filter><And>${tag('a', '1')}${tag('a', '2')}</And></Filter>${enabled}${days}`, 'InvalidTag'],
    [`<Filter>${tag('', '1')}</Filter>${enabled}${days}`, 'InvalidTag'],
  ]
  for (const [content, code] of refused) {
    assert.throws(() => parse(documentOf(ruleOf(content))), isS3Error(code), content)
  }
})

function isS3Error(code: string) {
  return (error: unknown) => error instanceof S3Error && error.code === code
}
