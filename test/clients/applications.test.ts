import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { diskFolder } from '../support/disk-folder.ts'
import { applications, testcontainers } from './applications/applications.ts'
import { copyScenarios, replay, startAsImage } from './applications/replay.ts'
import { absenceOfBoto3 } from './run-client.ts'

/** The applications whose libraries CI has on a push; applications/newest.test.ts has all of them. */
describe('applications that ran beside MinIO', () => {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-applications-'))

  before(() => {
    copyScenarios(folder)
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  })

  after(() => rmSync(folder, { recursive: true }))

  for (const application of applications.filter(({ isOnPush }) => isOnPush)) {
    const { registry, scenario } = application.library
    const program = registry === 'npm' ? process.execPath : '/usr/bin/python3'
    it(application.name, { skip: registry === 'npm' ? false : absenceOfBoto3() }, async (t) => {
      await replay(t, application, { folder, command: [program, join(folder, scenario)] })
    })
  }
})

test('docs/moving-in.md has a row for each application', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/moving-in.md'), 'utf8')
  for (const { name } of applications) assert.ok(page.includes(`\n| ${name} | `), name)
})

describe('modules of Testcontainers', () => {
  for (const [language, container] of Object.entries(testcontainers)) {
    it(language, async (t) => {
      const { url } = await startAsImage(t, container)
      assert.equal((await fetch(`${url}/minio/health/live`)).status, 200)
      const credentials = { accessKeyId: 'minioadmin', secretAccessKey: 'minioadmin' }
      const place = { endpoint: url, region: 'us-east-1', forcePathStyle: true }
      const s3 = new S3Client({ ...place, credentials })
      await s3.send(new CreateBucketCommand({ Bucket: 'photos' }))
      await s3.send(new PutObjectCommand({ Bucket: 'photos', Key: 'sea', Body: 'waves' }))
    })
  }
})
