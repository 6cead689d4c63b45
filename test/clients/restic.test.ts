import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { assertSameTree, makeTree } from './file-tree.ts'
import { absenceOf, runClient } from './run-client.ts'

function restic(endpoint: Endpoint, args: readonly string[]): Promise<string> {
  const { accessKey, secretKey } = endpoint.gateway.credentials
  return runClient(endpoint, {
    program: 'restic',
    args: endpoint.caFile === undefined ? args : ['--cacert', endpoint.caFile, ...args],
    environment: {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      RESTIC_PASSWORD: 'correct horse',
      RESTIC_REPOSITORY: `s3:${endpoint.gateway.url}/${testBucket}/backup`,
    },
  })
}

describeOverBoth('restic', { skip: absenceOf('restic') }, (endpoint) => {
  it('backs up, checks every byte, restores and prunes', async () => {
    const run = (...args: string[]): Promise<string> => restic(endpoint(), args)
    const source = await makeTree(join(endpoint().workFolder, 'source'))
    await writeTestFile(join(source, 'huge.bin'), 70_000_000)
    await run('init')
    await run('backup', source)
    await writeFile(join(source, 'one'), 'changed')
    await rm(join(source, 'huge.bin'))
    await run('backup', source)
    const checked = await run('check', '--read-data')
    assert.match(checked, /no errors were found/)
    const target = join(endpoint().workFolder, 'restored')
    await run('restore', 'latest', '--target', target)
    await assertSameTree(join(target, source), source)
    await run('forget', '--keep-last', '1', '--prune')
    const rechecked = await run('check', '--read-data')
    assert.match(rechecked, /no errors were found/)
  })
})
