import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { FolderLine } from '../../src/dashboard/management/folders/folder-listing-route.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'

const entryCount = 1_200

describe('A folder as lines of JSON', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
    const folder = join(gateway().driveFolder, testBucket)
    mkdirSync(join(folder, 'many'), { recursive: true })
    for (let index = 0; index < entryCount; index += 1) {
      writeFileSync(join(folder, 'many', `${String(index).padStart(5, '0')}.txt`), '')
    }
    mkdirSync(join(folder, 'odd', 'sub+ %2F', 'deeper'), { recursive: true })
    mkdirSync(join(folder, 'odd', 'empty'))
    writeFileSync(join(folder, 'odd', 'sub+ %2F', 'deeper', 'a'), 'hidden')
    for (const name of ['ü "x".txt', 'new\nline', '%20', 'sub+ %2F.txt', '\u{1f600}']) {
      writeFileSync(join(folder, 'odd', name), name)
    }
  })

  const ask = (query: Record<string, string>, options: RequestInit = {}) =>
    fetch(
      `${gateway().url}/-/api/folder?${new URLSearchParams({ bucket: testBucket, ...query })}`,
      {
        headers: { authorization: `Bearer ${client.token}` },
        ...options,
      },
    )
  const linesOf = async (query: Record<string, string>) => {
    const reply = await ask(query)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/x-ndjson')
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const text = await reply.text()
    assert.ok(text.endsWith('\n'))
    return text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line) as FolderLine)
  }
  const keysOf = (lines: readonly FolderLine[]) =>
    lines.flatMap(({ entries }) => entries.map(({ key }) => key))

  test('has every entry once, in the order of S3, and a last line', async () => {
    const lines = await linesOf({ prefix: 'many/' })
    const keys = keysOf(lines)
    assert.equal(keys.length, entryCount)
    assert.deepEqual(keys, [...keys].sort())
    assert.ok(lines.every(({ entries }) => entries.length <= 500))
    assert.deepEqual(
      lines.map(({ next }) => next),
      lines.map((_, index) => (index === lines.length - 1 ? null : undefined)),
    )
    const after = keys[700] ?? ''
    assert.deepEqual(keysOf(await linesOf({ prefix: 'many/', after })), keys.slice(701))
    assert.equal(keysOf(await linesOf({ prefix: 'many/', filter: '0110' })).length, 10)
  })

  test('ends at the limit of entries, and continues after it', async () => {
    const lines = await linesOf({ prefix: 'many/', limit: '700' })
    assert.deepEqual(
      lines.map(({ entries, next }) => [entries.length, next]),
      [
        [500, undefined],
        [200, 'many/00699.txt'],
      ],
    )
    const rest = await linesOf({ prefix: 'many/', limit: '700', after: 'many/00699.txt' })
    assert.equal(keysOf(rest).length, 500)
    assert.equal(rest.at(-1)?.next, null)
    for (const limit of ['0', '-1', '1.5', 'x', '100001']) {
      assert.equal((await ask({ prefix: 'many/', limit })).status, 400, limit)
    }
  })

  test('if it is deep, has everything below the folder and its own marker object', async () => {
    const send = (key: string) =>
      fetch(`${gateway().url}/${testBucket}/${key}`, {
        ...{ method: 'PUT', body: '' },
        headers: { authorization: `Bearer ${client.token}` },
      })
    for (const key of ['deep/', 'deep/a', 'deep/b/c', 'deep/b/']) {
      assert.equal((await send(key)).status, 200)
    }
    const deep = await linesOf({ prefix: 'deep/', deep: 'true' })
    assert.deepEqual(keysOf(deep), ['deep/', 'deep/a', 'deep/b/', 'deep/b/c'])
    assert.equal(deep[0]?.entries[0]?.size, 0)
    assert.deepEqual(keysOf(await linesOf({ prefix: 'deep/' })), ['deep/a', 'deep/b/'])
    const below = await linesOf({ prefix: 'deep/', filter: 'b', deep: 'true', limit: '1' })
    assert.deepEqual(keysOf(below), ['deep/b/'])
  })

  test('has folders as one entry each, and odd names as they are', async () => {
    const entries = (await linesOf({ prefix: 'odd/' })).flatMap((line) => line.entries)
    assert.deepEqual(
      entries.map(({ key }) => key),
      ['%20', 'empty/', 'new\nline', 'sub+ %2F.txt', 'sub+ %2F/', 'ü "x".txt', '\u{1f600}'].map(
        (name) => `odd/${name}`,
      ),
    )
    assert.deepEqual(entries[1], { key: 'odd/empty/' })
    const { size, modifiedAtMs = 1, etag } = entries[0] ?? {}
    assert.equal(size, 3)
    assert.equal(modifiedAtMs % 1_000, 0)
    assert.match(etag ?? '', /^[^"]+$/)
    assert.deepEqual(keysOf(await linesOf({ prefix: 'odd/sub+ %2F/' })), ['odd/sub+ %2F/deeper/'])
    assert.deepEqual(await linesOf({ prefix: 'missing/' }), [{ entries: [], next: null }])
  })

  test('has the times of the files that were uploaded, which copies keep', async () => {
    const put = (key: string, headers: Record<string, string>) =>
      fetch(`${gateway().url}/${testBucket}/${key}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${client.token}`, ...headers },
      })
    const times = { rclone: '1354040105.123456789', s3fs: '1700000000', odd: '1e99', none: '' }
    for (const [name, mtime] of Object.entries(times)) {
      assert.equal((await put(`times/${name}`, { 'x-amz-meta-mtime': mtime })).status, 200)
    }
    const source = { 'x-amz-copy-source': `/${testBucket}/times/s3fs` }
    assert.equal((await put('times/copy', source)).status, 200)
    const entries = (await linesOf({ prefix: 'times/' })).flatMap((line) => line.entries)
    assert.deepEqual(
      entries.map(({ key, fileTimeMs }) => [key.slice('times/'.length), fileTimeMs]),
      [
        ['copy', 1_700_000_000_000],
        ['none', undefined],
        ['odd', undefined],
        ['rclone', 1_354_040_105_123],
        ['s3fs', 1_700_000_000_000],
      ],
    )
    const stored = entries.map(({ modifiedAtMs = 0 }) => Date.now() - modifiedAtMs)
    assert.ok(stored.every((ageMs) => ageMs < 60_000))
    const found = await fetch(`${gateway().url}/-/api/search?bucket=${testBucket}&text=rclon`, {
      headers: { authorization: `Bearer ${client.token}` },
    })
    assert.match(await found.text(), /"fileTimeMs":1354040105123/)
  })

  test('refuses what it cannot list, and names the field', async () => {
    const wrong = [
      [{ bucket: 'none' }, 'bucket'],
      [{ prefix: 'many' }, 'prefix'],
      [{ prefix: `${'x'.repeat(1_024)}/` }, 'prefix'],
      [{ after: 'x'.repeat(1_027) }, 'after'],
    ] as const
    for (const [query, field] of wrong) {
      const reply = await ask(query)
      const { field: named } = (await reply.json()) as { field?: string }
      assert.deepEqual([reply.status, named], [400, field])
    }
  })

  test('a client that leaves frees its place', async () => {
    for (let round = 0; round < 100; round += 1) {
      const leaving = new AbortController()
      const reply = await ask({ prefix: 'many/' }, { signal: leaving.signal })
      assert.equal(reply.status, 200)
      leaving.abort()
    }
    const head = await ask({ prefix: 'many/' }, { method: 'HEAD' })
    assert.equal(head.status, 200)
  })

  test('needs a session that has not ended', async () => {
    const { token } = await ManagementClient.signIn(gateway().url)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await ask({ prefix: 'odd/' }, { headers })).status, 200)
    await fetch(`${gateway().url}/auth/logout`, { method: 'POST', headers })
    assert.equal((await ask({ prefix: 'odd/' }, { headers })).status, 401)
    assert.equal((await ask({ prefix: 'odd/' }, { headers: {} })).status, 401)
  })
})
