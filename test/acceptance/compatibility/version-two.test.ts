import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { dashboardPassword, ManagementClient } from '../../support/management-client.ts'
import { beginUpload } from '../../support/open-upload.ts'
import {
  presignVersionTwo,
  signVersionTwo,
  type VersionTwoRequest,
} from '../../support/version-two.ts'
import { answer, exchange } from '../../support/wire-case.ts'

const path = `/${testBucket}/a%20b`
const presigned = (
  request: Omit<VersionTwoRequest, 'expires'>,
  credentials = testCredentials,
  added = '',
) => ({
  method: request.method,
  isUnsigned: true,
  target:
    presignVersionTwo({ ...request, expires: Math.floor(Date.now() / 1_000) + 60 }, credentials) +
    (request.amzHeaders ?? []).map((field) => `&${field.join('=')}`).join('') +
    added,
})

/** With the signature in an Authorization header. */
const inHeader = (
  request: Omit<VersionTwoRequest, 'expires'>,
  headers: Readonly<Record<string, string>> = {},
  atMs = Date.now(),
) => {
  const date = new Date(atMs).toUTCString()
  const signature = signVersionTwo({ ...request, expires: date }, testCredentials.secretKey)
  const authorization = `AWS ${testCredentials.accessKey}:${signature}`
  return {
    ...{ method: request.method, isUnsigned: true },
    target: request.path + (request.parameters ? `?${request.parameters.flat().join('')}` : ''),
    headers: { ...headers, date, authorization },
  }
}

async function putFirst(gateway: GatewayInProcess): Promise<void> {
  await answer(gateway, { title: '', method: 'PUT', target: path, body: 'content', status: 200 })
}

testInBothModes({
  prepare: putFirst,
  contract: ['GET', 'PUT'].flatMap((method) => [
    {
      title: `a URL for ${method} is refused`,
      ...{ ...presigned({ method, path }), status: 403, code: 'AccessDenied' },
    },
    {
      title: `${method} with a header is refused`,
      ...{ ...inHeader({ method, path }), status: 403, code: 'AccessDenied' },
    },
  ]),
  aws: async (gateway) => {
    const uploadId = await beginUpload(gateway, path)
    return [
      {
        title: 'GET has the headers that the URL asks for',
        ...presigned({
          ...{ method: 'GET', path },
          parameters: [['response-content-disposition', 'attachment; filename="Q&A +ä.txt"']],
        }),
        ...{ status: 200, text: 'content', fields: { 'content-disposition': /^attachment; / } },
      },
      { title: 'HEAD', ...presigned({ method: 'HEAD', path }), status: 200 },
      { title: 'PUT', ...presigned({ method: 'PUT', path }), body: new Uint8Array(), status: 200 },
      {
        title: 'UploadPart',
        ...presigned({
          ...{ method: 'PUT', path },
          parameters: [
            ['partNumber', '1'],
            ['uploadId', uploadId],
          ],
        }),
        ...{ body: new Uint8Array(), status: 200 },
      },
      {
        title: 'PutObject of a browser, with what aws-sdk-js 2 moves into the query',
        ...presigned({
          ...{ method: 'PUT', path, contentType: 'text/plain' },
          amzHeaders: [
            ['x-amz-acl', 'private'],
            ['x-amz-meta-colour', 'blue'],
          ],
        }),
        ...{ body: 'content', headers: { 'content-type': 'text/plain' }, status: 200 },
      },
      {
        title: 'which has its metadata and content type',
        ...{ method: 'HEAD', target: path, status: 200 },
        fields: { 'x-amz-meta-colour': 'blue', 'content-type': 'text/plain' },
      },
      {
        title: 'A list',
        ...presigned({ method: 'GET', path: `/${testBucket}` }),
        ...{ status: 200, xml: { ListBucketResult: { Name: testBucket } } },
      },
      {
        title: 'A parameter that is not signed is refused',
        ...{ ...presigned({ method: 'GET', path }, testCredentials, '&attributes'), status: 403 },
        code: 'AccessDenied',
      },
      {
        title: 'A signature in a header',
        ...{ ...inHeader({ method: 'GET', path }), status: 200, text: 'content' },
      },
      {
        title: 'A signature in a header, for a sub-resource',
        ...inHeader({ method: 'GET', path: `/${testBucket}`, parameters: [['location', '']] }),
        status: 200,
      },
      {
        title: 'A sub-resource that is not signed',
        ...inHeader({ method: 'GET', path: `/${testBucket}` }),
        ...{ target: `/${testBucket}?location`, status: 403, code: 'SignatureDoesNotMatch' },
      },
      {
        title: 'A header for another clock',
        ...inHeader({ method: 'GET', path }, {}, Date.now() - 16 * 60_000),
        ...{ status: 403, code: 'RequestTimeTooSkewed' },
      },
      {
        title: 'PutObject with a header and metadata',
        ...inHeader(
          {
            ...{ method: 'PUT', path, contentType: 'text/plain' },
            amzHeaders: [['x-amz-meta-colour', 'red']],
          },
          { 'content-type': 'text/plain', 'x-amz-meta-colour': 'red' },
        ),
        ...{ body: 'content', status: 200 },
      },
      {
        title: 'DELETE',
        ...{ ...presigned({ method: 'DELETE', path }), status: 204 },
      },
      {
        title: 'Another secret is SignatureDoesNotMatch',
        ...presigned({ method: 'GET', path }, { ...testCredentials, secretKey: 'other' }),
        ...{ status: 403, code: 'SignatureDoesNotMatch' },
        error: { AWSAccessKeyId: testCredentials.accessKey },
      },
      {
        title: 'An unknown access key in a header',
        ...{ ...inHeader({ method: 'GET', path }), status: 403, code: 'InvalidAccessKeyId' },
        headers: { date: new Date().toUTCString(), authorization: 'AWS other:signature' },
        error: { AWSAccessKeyId: 'other' },
      },
    ]
  },
})

test('grants, limits and revocation of an access key hold', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword },
  })
  await putFirst(gateway)
  const management = await ManagementClient.signIn(gateway.url)
  const grants = [{ bucket: testBucket, prefix: 'a', actions: ['read'] }]
  const { key, secretKey } = await management.done('POST', '/keys', { name: 'reader', grants })
  const credentials = { ...testCredentials, accessKey: key.accessKeyId, secretKey }
  const status = async (request: Omit<VersionTwoRequest, 'expires'>) =>
    (await exchange(gateway, presigned(request, credentials))).status
  assert.equal(await status({ method: 'GET', path }), 200)
  assert.equal(await status({ method: 'PUT', path }), 403)
  assert.equal(await status({ method: 'GET', path: `/${testBucket}/other` }), 403)
  await management.done('DELETE', `/keys/${key.accessKeyId}`)
  assert.equal(await status({ method: 'GET', path }), 403)
})
