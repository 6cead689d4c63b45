/** Backup programs with a write-once key (docs/access-keys.md, "Write-once keys"). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { testBytes } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { assertSameTree, makeTree } from './file-tree.ts'
import { absenceOf, runClient } from './run-client.ts'

const accessKeyId = 'ONCE0000000000000001'
const secretKey = 'a-secret-of-thirty-two-characters'
const grants = [
  { bucket: testBucket, prefix: '', actions: ['list', 'read', 'create'] },
  { bucket: testBucket, prefix: 'backup/locks/', actions: ['delete'] },
]
const settings = {
  ACCESS_KEYS: JSON.stringify([{ accessKeyId, secretKeyEnv: 'ONCE_SECRET', name: 'once', grants }]),
  ONCE_SECRET: secretKey,
  // Lists uploads.
  COMPATIBILITY: 'aws',
}

function resticOf({ caFile, gateway }: Endpoint, args: readonly string[]) {
  return {
    program: 'restic',
    args: caFile === undefined ? args : ['--cacert', caFile, ...args],
    environment: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretKey,
      RESTIC_PASSWORD: 'correct horse',
      RESTIC_REPOSITORY: `s3:${gateway.url}/${testBucket}/backup`,
    },
  }
}

/** Runs restic until it is refused. It repeats a refused request for a minute. */
async function untilRefused(endpoint: Endpoint, args: readonly string[]): Promise<string> {
  const { program, args: all, environment } = resticOf(endpoint, args)
  const env = { PATH: '/usr/bin:/bin', HOME: endpoint.workFolder, ...environment }
  const child = spawn(program, all, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  let output = ''
  for await (const chunk of child.stderr) {
    output += String(chunk)
    if (output.includes('Access Denied')) child.kill()
  }
  await ended
  return output
}

describeOverBoth(
  'restic with a write-once key',
  { skip: absenceOf('restic'), settings },
  (endpoint) => {
    it('backs up twice and restores, and cannot forget a snapshot', async () => {
      const run = (...args: string[]) => runClient(endpoint(), resticOf(endpoint(), args))
      const { workFolder, bucketFolder } = endpoint()
      const source = await makeTree(join(workFolder, 'source'))
      await run('init')
      await run('backup', source)
      await writeFile(join(source, 'one'), 'changed')
      await run('backup', source)
      const snapshots = await readdir(join(bucketFolder, 'backup/snapshots'))
      assert.equal(snapshots.length, 2)
      const refusal = await untilRefused(endpoint(), ['forget', '--keep-last', '1', '--prune'])
      assert.match(refusal, /snapshot.*has no grant to delete/)
      assert.deepEqual(await readdir(join(bucketFolder, 'backup/snapshots')), snapshots)
      await run('unlock', '--remove-all')
      assert.match(await run('check', '--read-data'), /no errors were found/)
      const target = join(workFolder, 'restored')
      await run('restore', 'latest', '--target', target)
      await assertSameTree(join(target, source), source)
    })
  },
)

function rclone({ caFile, gateway, ...endpoint }: Endpoint, ...args: string[]): Promise<string> {
  return runClient(
    { caFile, gateway, ...endpoint },
    {
      program: 'rclone',
      args: [...(caFile === undefined ? [] : ['--ca-cert', caFile]), '--retries', '1', ...args],
      environment: {
        RCLONE_CONFIG_ONCE_TYPE: 's3',
        RCLONE_CONFIG_ONCE_PROVIDER: 'Other',
        RCLONE_CONFIG_ONCE_ENDPOINT: gateway.url,
        RCLONE_CONFIG_ONCE_REGION: gateway.credentials.region,
        RCLONE_CONFIG_ONCE_ACCESS_KEY_ID: accessKeyId,
        RCLONE_CONFIG_ONCE_SECRET_ACCESS_KEY: secretKey,
        RCLONE_CONFIG_ONCE_NO_CHECK_BUCKET: 'true',
      },
    },
  )
}

describeOverBoth(
  'rclone with a write-once key',
  { skip: absenceOf('rclone'), settings },
  (endpoint) => {
    it('copies new files in parts and whole, and cannot replace or delete them', async () => {
      const remote = `once:${testBucket}/tree`
      const inParts = ['--s3-upload-cutoff', '5Mi', '--s3-chunk-size', '5Mi']
      const { workFolder, bucketFolder } = endpoint()
      const there = await makeTree(join(workFolder, 'there'))
      await writeFile(join(there, 'large'), testBytes('large', 12_000_000))
      await rclone(endpoint(), 'copy', ...inParts, there, remote)
      await writeFile(join(there, 'new'), 'new')
      await rclone(endpoint(), 'copy', ...inParts, there, remote)
      await assertSameTree(join(bucketFolder, 'tree'), there)
      const before = await readFile(join(there, 'one'))
      await writeFile(join(there, 'one'), 'changed')
      await writeFile(join(there, 'large'), testBytes('other', 12_000_001))
      const replacing = /may create objects but not replace them/
      await assert.rejects(rclone(endpoint(), 'copy', ...inParts, there, remote), replacing)
      await rm(join(there, 'new'))
      await assert.rejects(
        rclone(endpoint(), 'deletefile', `${remote}/new`),
        /has no grant to delete/,
      )
      await assert.rejects(rclone(endpoint(), 'touch', `${remote}/new`), replacing)
      assert.deepEqual(await readFile(join(bucketFolder, 'tree/one')), before)
      assert.equal(await readFile(join(bucketFolder, 'tree/new'), 'utf8'), 'new')
      assert.deepEqual(
        await readFile(join(bucketFolder, 'tree/large')),
        testBytes('large', 12_000_000),
      )
      const open = await rclone(
        endpoint(),
        'backend',
        'list-multipart-uploads',
        `once:${testBucket}`,
      )
      assert.doesNotMatch(open, /UploadId/, 'rclone has aborted the refused upload')
    })
  },
)
