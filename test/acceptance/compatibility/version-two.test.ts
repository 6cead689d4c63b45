import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { dashboardPassword, ManagementClient } from '../../support/management-client.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { presignVersionTwo, type VersionTwoRequest } from '../../support/version-two.ts'
import { answer, exchange } from '../../support/wire-case.ts'

const path = `/${testBucket}/a%20b`
const presigned = (request: Omit<VersionTwoRequest, 'expires'>, credentials = testCredentials) => ({
  method: request.method,
  isUnsigned: true,
  target: presignVersionTwo(
    { ...request, expires: Math.floor(Date.now() / 1_000) + 60 },
    credentials,
  ),
})

async function putFirst(gateway: GatewayInProcess): Promise<void> {
  await answer(gateway, { title: '', method: 'PUT', target: path, body: 'content', status: 200 })
}

testInBothModes({
  prepare: putFirst,
  contract: ['GET', 'PUT'].map((method) => ({
    title: `${method} is refused`,
    ...{ ...presigned({ method, path }), status: 403, code: 'AccessDenied' },
  })),
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
        title: 'DELETE is refused',
        ...{ ...presigned({ method: 'DELETE', path }), status: 403, code: 'AccessDenied' },
      },
      {
        title: 'A list is refused',
        ...presigned({ method: 'GET', path: `/${testBucket}` }),
        ...{ status: 403, code: 'AccessDenied' },
      },
      {
        title: 'Another secret is SignatureDoesNotMatch',
        ...presigned({ method: 'GET', path }, { ...testCredentials, secretKey: 'other' }),
        ...{ status: 403, code: 'SignatureDoesNotMatch' },
        error: { AWSAccessKeyId: testCredentials.accessKey },
      },
      {
        title: 'An Authorization header is refused',
        ...{ method: 'GET', target: path, isUnsigned: true },
        headers: { authorization: 'AWS key:signature' },
        ...{ status: 400, code: 'InvalidRequest' },
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
