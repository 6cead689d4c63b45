/** The rights of access keys to versions of objects (docs/access-keys.md, "Grants"). */
import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { test } from 'node:test'
import type { GatewayInProcess } from '../support/gateway-in-process.ts'
import { startForKeys } from '../support/key-holders.ts'
import { type SignedFetch, signedFetch } from '../support/signed-fetch.ts'

const settings = { ALLOWED_BUCKETS: 'photos,public,backup', PUBLIC_READ_BUCKETS: 'public' }

async function isDenied(server: GatewayInProcess, request: SignedFetch): Promise<boolean> {
  const reply = await signedFetch(server, request)
  const text = await reply.text()
  if (request.method === 'HEAD') return reply.status === 403
  return text.includes('<Code>AccessDenied</Code>')
}

test('in a bucket with versions, each request for a version needs the right to versions', async (t) => {
  const { gateway, holder } = await startForKeys(t, settings)
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  for (const bucket of ['photos', 'public']) {
    const reply = await signedFetch(gateway, {
      method: 'PUT',
      target: `/${bucket}?versioning`,
      body,
    })
    assert.equal(reply.status, 200)
  }
  const plain = ['list', 'read', 'write', 'delete', 'bypass', 'manage'] as const
  const list = `<Delete><Object><Key>k</Key><VersionId>v</VersionId></Object></Delete>`
  const digest = { 'content-md5': crypto.hash('md5', list, 'base64') }
  const tagging = '<Tagging><TagSet/></Tagging>'
  const requests = ['photos', 'public'].flatMap((bucket): SignedFetch[] => [
    { method: 'GET', target: `/${bucket}?versions` },
    { method: 'GET', target: `/${bucket}/k?versionId=v` },
    { method: 'GET', target: `/${bucket}/k?versionId=null` },
    { method: 'HEAD', target: `/${bucket}/k?versionId=v` },
    { method: 'GET', target: `/${bucket}/k?tagging&versionId=v` },
    { method: 'PUT', target: `/${bucket}/k?tagging&versionId=v`, body: tagging },
    { method: 'GET', target: `/${bucket}/k?attributes&versionId=v` },
    { method: 'DELETE', target: `/${bucket}/k?versionId=v` },
    { method: 'DELETE', target: `/${bucket}/k?versionId=null` },
    { method: 'POST', target: `/${bucket}?delete`, headers: digest, body: list },
    {
      method: 'PUT',
      target: '/backup/copy',
      headers: { 'x-amz-copy-source': `/${bucket}/k?versionId=null` },
    },
  ])
  const [without, withRight] = [
    await holder(...plain),
    await holder(...plain, 'read-version', 'delete-version'),
  ]
  for (const request of requests) {
    const context = `${request.method} ${request.target}`
    assert.equal(await isDenied(without, request), true, context)
    assert.equal(await isDenied(withRight, request), false, context)
    assert.equal(await isDenied(gateway, request), false, context)
  }
  const anonymous = await fetch(`${gateway.url}/public/k?versionId=null`)
  assert.equal(anonymous.status, 403)
})
