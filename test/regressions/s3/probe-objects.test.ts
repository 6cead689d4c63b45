import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { bucket, listKeys, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { s3DriveOptions, s3DriveUnderTest } from '../../contract/s3-drive-under-test.ts'
import { absenceOfMoto, startMoto } from '../../support/s3/moto.ts'

test('objects of a probe are not those of clients', { skip: absenceOfMoto() }, async (t) => {
  const moto = await startMoto(t)
  const { drive } = await s3DriveUnderTest(t, moto)
  const { credentials, address } = await s3DriveOptions(t, moto)
  const client = new S3Client({
    ...{ endpoint: address.endpoint, region: 'us-east-1', forcePathStyle: true },
    ...(credentials && { credentials }),
  })
  t.after(() => client.destroy())
  // As a probe leaves it that was killed.
  const left = '.bucketry-probe/0/create'
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: left, Body: 'bucketry' }))
  await put(drive, '.bucketry-other/x', 'text')
  assert.deepEqual(await listKeys(drive), ['.bucketry-other/x'])
  assert.deepEqual(await listKeys(drive, { delimiter: '/' }), ['.bucketry-other/'])
  await rejectsAs(put(drive, left, 'text'), 'invalid-key')
})
