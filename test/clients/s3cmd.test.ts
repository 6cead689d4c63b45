import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of, sha256OfFile, writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { assertSameTree, makeTree } from './file-tree.ts'
import { absenceOf, runClient } from './run-client.ts'

function s3cmd(endpoint: Endpoint, args: readonly string[]): Promise<string> {
  const { accessKey, secretKey, region } = endpoint.gateway.credentials
  const { host } = endpoint.gateway
  return runClient(endpoint, {
    program: 's3cmd',
    args: [
      ...[`--access_key=${accessKey}`, `--secret_key=${secretKey}`, `--region=${region}`],
      ...[`--host=${host}`, `--host-bucket=${host}`, '--no-progress'],
      ...(endpoint.caFile === undefined ? ['--no-ssl'] : [`--ca-certs=${endpoint.caFile}`]),
      ...args,
    ],
  })
}

describeOverBoth('s3cmd', { skip: absenceOf('s3cmd') }, (endpoint) => {
  const run = (...args: string[]): Promise<string> => s3cmd(endpoint(), args)
  const bucketUrl = `s3://${testBucket}`

  it('put uploads 70 MB in parts and get downloads them', async () => {
    const source = join(endpoint().workFolder, 'large.bin')
    await writeTestFile(source, 70_000_000)
    await run('put', source, `${bucketUrl}/s3cmd/large.bin`)
    const expected = await sha256OfFile(source)
    assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 's3cmd/large.bin')), expected)
    await run('get', `${bucketUrl}/s3cmd/large.bin`, `${source}.copy`)
    assert.equal(await sha256OfFile(`${source}.copy`), expected)
  })

  it('sync uploads and downloads a tree and removes deleted files', async () => {
    const there = await makeTree(join(endpoint().workFolder, 'there'))
    await run('sync', `${there}/`, `${bucketUrl}/tree/`)
    await assertSameTree(join(endpoint().bucketFolder, 'tree'), there)
    await rm(join(there, 'a b'), { recursive: true })
    await run('sync', '--delete-removed', `${there}/`, `${bucketUrl}/tree/`)
    await assertSameTree(join(endpoint().bucketFolder, 'tree'), there)
    const back = join(endpoint().workFolder, 'back')
    await mkdir(back)
    await run('sync', `${bucketUrl}/tree/`, `${back}/`)
    await assertSameTree(back, there)
  })

  it('ls, info, cp, mv and del work', async () => {
    const source = join(endpoint().workFolder, 'small.bin')
    const bytes = await writeTestFile(source, 9000)
    await run('put', '--add-header=x-amz-meta-colour:blue', source, `${bucketUrl}/verbs/small é`)
    assert.match(await run('ls', `${bucketUrl}/verbs/`), /9000 {2}s3:\/\/photos\/verbs\/small é/)
    const info = await run('info', `${bucketUrl}/verbs/small é`)
    assert.match(info, /x-amz-meta-colour: blue/)
    assert.ok(info.includes(md5Of(bytes)), info)
    await run('cp', `${bucketUrl}/verbs/small é`, `${bucketUrl}/verbs/copy`)
    await run('mv', `${bucketUrl}/verbs/copy`, `${bucketUrl}/verbs/moved`)
    const folder = join(endpoint().bucketFolder, 'verbs')
    assert.deepEqual(await readFile(join(folder, 'moved')), bytes)
    assert.equal(existsSync(join(folder, 'copy')), false)
    await run('del', '--recursive', '--force', `${bucketUrl}/verbs/`)
    assert.equal(existsSync(folder), false)
  })
})
