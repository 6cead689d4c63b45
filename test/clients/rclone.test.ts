import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { sha256OfFile, testBytes, writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { assertSameTree, makeTree } from './file-tree.ts'
import { absenceOf, runClient } from './run-client.ts'

/** The settings that the start banner shows. */
function rclone(endpoint: Endpoint, args: readonly string[], input?: Uint8Array): Promise<string> {
  const { accessKey, secretKey, region } = endpoint.gateway.credentials
  const trust = endpoint.caFile === undefined ? [] : ['--ca-cert', endpoint.caFile]
  return runClient(endpoint, {
    program: 'rclone',
    args: [...trust, ...args],
    environment: {
      RCLONE_CONFIG_BUCKETRY_TYPE: 's3',
      RCLONE_CONFIG_BUCKETRY_PROVIDER: 'Other',
      RCLONE_CONFIG_BUCKETRY_ENDPOINT: endpoint.gateway.url,
      RCLONE_CONFIG_BUCKETRY_REGION: region,
      RCLONE_CONFIG_BUCKETRY_ACCESS_KEY_ID: accessKey,
      RCLONE_CONFIG_BUCKETRY_SECRET_ACCESS_KEY: secretKey,
      RCLONE_CONFIG_BUCKETRY_NO_CHECK_BUCKET: 'true',
    },
    ...(input && { input }),
  })
}

describeOverBoth('rclone', { skip: absenceOf('rclone') }, (endpoint) => {
  const run = (...args: string[]): Promise<string> => rclone(endpoint(), args)
  const remote = `bucketry:${testBucket}`

  it('copyto uploads 250 MB in parallel parts and downloads them', async () => {
    const source = join(endpoint().workFolder, 'large.bin')
    // Over rclone's --s3-upload-cutoff of 200 MiB, so it is uploaded in parts.
    await writeTestFile(source, 250_000_000)
    await run('copyto', source, `${remote}/rclone/large.bin`)
    const expected = await sha256OfFile(source)
    assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 'rclone/large.bin')), expected)
    await run('copyto', `${remote}/rclone/large.bin`, `${source}.copy`)
    assert.equal(await sha256OfFile(`${source}.copy`), expected)
  })

  it('sync and check agree on a tree, and sync removes deleted files', async () => {
    const there = await makeTree(join(endpoint().workFolder, 'there'))
    await run('sync', there, `${remote}/tree`)
    await assertSameTree(join(endpoint().bucketFolder, 'tree'), there)
    await run('check', '--download', there, `${remote}/tree`)
    await rm(join(there, 'a b'), { recursive: true })
    await writeFile(join(there, 'one'), 'changed')
    await run('sync', there, `${remote}/tree`)
    await assertSameTree(join(endpoint().bucketFolder, 'tree'), there)
    const back = join(endpoint().workFolder, 'back')
    await run('sync', `${remote}/tree`, back)
    await assertSameTree(back, there)
  })

  it('rcat streams 64 MiB of unknown length in parts', async () => {
    const bytes = testBytes('rcat', 64 * 1024 * 1024 + 17)
    await rclone(endpoint(), ['rcat', `${remote}/rclone/rcat.bin`], bytes)
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'rclone/rcat.bin')), bytes)
  })

  it('cat, lsjson, moveto, copyto within the bucket, link and deletefile work', async () => {
    await rclone(endpoint(), ['rcat', `${remote}/verbs/hello`], Buffer.from('hello'))
    assert.equal(await run('cat', `${remote}/verbs/hello`), 'hello')
    await run('moveto', `${remote}/verbs/hello`, `${remote}/verbs/moved`)
    await run('copyto', `${remote}/verbs/moved`, `${remote}/verbs/copied`)
    const listed = JSON.parse(await run('lsjson', `${remote}/verbs`)) as { Name: string }[]
    assert.deepEqual(
      listed.map(({ Name }) => Name),
      ['copied', 'moved'],
    )
    const url = (await run('link', '--expire', '60s', `${remote}/verbs/moved`)).trim()
    const trust = endpoint().caFile === undefined ? [] : ['--cacert', endpoint().caFile ?? '']
    const got = await runClient(endpoint(), { program: 'curl', args: ['-sSf', ...trust, url] })
    assert.equal(got, 'hello')
    await run('deletefile', `${remote}/verbs/moved`)
    await run('delete', `${remote}/verbs`)
    assert.equal(await run('lsf', `${remote}/verbs`), '')
  })
})
