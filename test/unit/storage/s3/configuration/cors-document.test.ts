import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  corsContent,
  parseCors,
} from '../../../../../src/storage/s3/configuration/cors-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'

const origin = '<AllowedOrigin>*</AllowedOrigin>'
const method = '<AllowedMethod>GET</AllowedMethod>'
const ruleOf = (content: string) => `<CORSRule>${content}</CORSRule>`
const documentOf = (...rules: string[]) =>
  `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rules.join('')}</CORSConfiguration>`
const parse = (text: string) => parseCors(Buffer.from(text))

test('reads every element', () => {
  const rules = parse(
    documentOf(
      ruleOf(
        '<ID>one</ID><AllowedOrigin>https://*.example</AllowedOrigin><AllowedOrigin>null</AllowedOrigin>' +
          '<AllowedMethod>PUT</AllowedMethod><AllowedMethod>DELETE</AllowedMethod>' +
          '<AllowedHeader>x-amz-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>' +
          '<MaxAgeSeconds>3000</MaxAgeSeconds>',
      ),
      ruleOf(origin + method),
    ),
  )
  assert.deepEqual(rules, [
    {
      id: 'one',
      allowedOrigins: ['https://*.example', 'null'],
      allowedMethods: ['PUT', 'DELETE'],
      allowedHeaders: ['x-amz-*'],
      exposeHeaders: ['ETag'],
      maxAgeSeconds: 3000,
    },
    {
      ...{ allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: [] },
    },
  ])
  const written = xmlDocument('CORSConfiguration', corsContent(rules))
  assert.deepEqual(parse(written), rules)
})

const refused: readonly (readonly [what: string, document: string, code: string, RegExp])[] = [
  ['no rules', documentOf(), 'MalformedXML', /no CORSRule/],
  ['another root', '<Other/>', 'MalformedXML', /CORSConfiguration/],
  ['an unknown element', documentOf('<Rule/>'), 'MalformedXML', /Rule/],
  [
    'an unknown element of a rule',
    documentOf(ruleOf(`${origin}${method}<X/>`)),
    'MalformedXML',
    /X/,
  ],
  ['no origin', documentOf(ruleOf(method)), 'MalformedXML', /AllowedOrigin/],
  ['no method', documentOf(ruleOf(origin)), 'MalformedXML', /AllowedMethod/],
  [
    'an empty origin',
    documentOf(ruleOf(`<AllowedOrigin/>${method}`)),
    'MalformedXML',
    /AllowedOrigin/,
  ],
  [
    'an unknown method',
    documentOf(ruleOf(`${origin}<AllowedMethod>PATCH</AllowedMethod>`)),
    'InvalidRequest',
    /Unsupported method is PATCH/,
  ],
  [
    'two wildcards in an origin',
    documentOf(ruleOf(`<AllowedOrigin>*example*.com</AllowedOrigin>${method}`)),
    'InvalidRequest',
    /"\*example\*\.com" can not have more than one wildcard/,
  ],
  [
    'two wildcards in a header',
    documentOf(ruleOf(`${origin}${method}<AllowedHeader>**</AllowedHeader>`)),
    'InvalidRequest',
    /AllowedHeader/,
  ],
  [
    'a wildcard in an exposed header',
    documentOf(ruleOf(`${origin}${method}<ExposeHeader>*</ExposeHeader>`)),
    'InvalidRequest',
    /ExposeHeader/,
  ],
  [
    'an exposed header that would add a header to replies',
    documentOf(ruleOf(`${origin}${method}<ExposeHeader>a&#13;&#10;Set-Cookie: b</ExposeHeader>`)),
    'InvalidRequest',
    /invalid character/,
  ],
  [
    'an age that is no number',
    documentOf(ruleOf(`${origin}${method}<MaxAgeSeconds>soon</MaxAgeSeconds>`)),
    'MalformedXML',
    /MaxAgeSeconds/,
  ],
  [
    'a negative age',
    documentOf(ruleOf(`${origin}${method}<MaxAgeSeconds>-1</MaxAgeSeconds>`)),
    'MalformedXML',
    /MaxAgeSeconds/,
  ],
  [
    'a long ID',
    documentOf(ruleOf(`<ID>${'i'.repeat(256)}</ID>${origin}${method}`)),
    'InvalidArgument',
    /255/,
  ],
  [
    '101 rules',
    documentOf(...new Array(101).fill(ruleOf(origin + method))),
    'InvalidRequest',
    /100 rules/,
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

test('takes 100 rules', () => {
  assert.equal(parse(documentOf(...new Array(100).fill(ruleOf(origin + method)))).length, 100)
})
