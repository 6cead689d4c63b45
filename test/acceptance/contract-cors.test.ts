import { describe } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { itAnswers, type WireCase } from '../support/wire-case.ts'

const ours = 'https://app.example'
const theirs = 'https://other.example'
const object = `/${publicBucket}/none`
const preflight = { 'access-control-request-method': 'PUT' }
const noCors = { 'access-control-allow-origin': undefined }

/** CORS_ALLOWED_ORIGINS has exact origins (docs/contract/decisions.md, "Further settings"). */
describe('CORS', () => {
  const gateway = useContractGateway({ CORS_ALLOWED_ORIGINS: ours })
  itAnswers(gateway, [
    {
      ...options('an allowed origin', { origin: ours, ...preflight }, 200),
      fields: {
        'access-control-allow-origin': ours,
        'access-control-allow-methods': /PUT/,
        'access-control-max-age': /^\d+$/,
        vary: /Origin/,
      },
    },
    {
      ...options(
        'headers it asks for',
        {
          ...{ origin: ours, ...preflight, 'access-control-request-headers': 'x-amz-date,x-any' },
        },
        200,
      ),
      fields: { 'access-control-allow-headers': 'x-amz-date,x-any' },
    },
    {
      ...options('another origin', { origin: theirs, ...preflight }, 403),
      code: 'AccessForbidden',
      fields: noCors,
    },
    { ...options('no origin', {}, 400), code: 'BadRequest' },
    {
      title: 'GetObject and its errors may be read by pages of an allowed origin',
      ...{ method: 'GET', target: object, headers: { origin: ours }, isUnsigned: true },
      ...{ status: 404, code: 'NoSuchKey' },
      fields: {
        'access-control-allow-origin': ours,
        'access-control-expose-headers': /x-amz-request-id/,
        vary: /Origin/,
      },
    },
    {
      title: 'GetObject of another origin has no CORS headers',
      ...{ method: 'GET', target: object, headers: { origin: theirs }, isUnsigned: true },
      ...{ status: 404, code: 'NoSuchKey', fields: { ...noCors, vary: /Origin/ } },
    },
    {
      title: 'PutObject of an allowed origin exposes the ETag',
      ...{ method: 'PUT', target: `/${publicBucket}/put`, headers: { origin: ours }, body: 'x' },
      ...{ status: 200, fields: { 'access-control-expose-headers': /(^|, )etag(,|$)/ } },
    },
  ])
})

describe('CORS unset', () => {
  const gateway = useContractGateway()
  itAnswers(gateway, [
    {
      ...options('any origin', { origin: ours, ...preflight }, 403),
      code: 'AccessForbidden',
      fields: noCors,
    },
    {
      title: 'GetObject has no CORS headers',
      ...{ method: 'GET', target: object, headers: { origin: ours }, isUnsigned: true },
      ...{ status: 404, code: 'NoSuchKey', fields: { ...noCors, vary: undefined } },
    },
  ])
})

function options(
  what: string,
  headers: Readonly<Record<string, string>>,
  status: number,
): WireCase {
  const title = `A preflight of ${what} is ${status}`
  return { title, method: 'OPTIONS', target: object, headers, isUnsigned: true, status }
}
