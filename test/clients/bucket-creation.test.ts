import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { absenceOf, awsPrograms, runClient } from './run-client.ts'

/** Clients that create and remove buckets, each in its own way. */
const settings = { BUCKET_CREATION: 'on' }

const isThere = ({ bucketFolder }: Endpoint, name: string): boolean =>
  existsSync(join(bucketFolder, '..', name))

for (const program of awsPrograms()) {
  describeOverBoth(`aws-cli (${program})`, { skip: absenceOf(program), settings }, (endpoint) => {
    it('mb and rb create and remove a bucket', async () => {
      const { gateway, caFile } = endpoint()
      const { accessKey, secretKey, region } = gateway.credentials
      const s3 = (...args: string[]) =>
        runClient(endpoint(), {
          program,
          args: ['--endpoint-url', gateway.url, 's3', ...args],
          environment: {
            ...{ AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
            AWS_DEFAULT_REGION: region,
            ...(caFile && { AWS_CA_BUNDLE: caFile }),
          },
        })
      await s3('mb', 's3://aws-made')
      assert.ok(isThere(endpoint(), 'aws-made'))
      await s3('rb', 's3://aws-made')
      assert.ok(!isThere(endpoint(), 'aws-made'))
    })
  })
}

describeOverBoth('s3cmd', { skip: absenceOf('s3cmd'), settings }, (endpoint) => {
  it('mb and rb create and remove a bucket', async () => {
    const { gateway, caFile } = endpoint()
    const { accessKey, secretKey, region } = gateway.credentials
    const { host } = gateway
    const s3cmd = (...args: string[]) =>
      runClient(endpoint(), {
        program: 's3cmd',
        args: [
          ...[`--access_key=${accessKey}`, `--secret_key=${secretKey}`, `--region=${region}`],
          ...[`--host=${host}`, `--host-bucket=${host}`],
          ...(caFile === undefined ? ['--no-ssl'] : [`--ca-certs=${caFile}`]),
          ...args,
        ],
      })
    await s3cmd('mb', 's3://s3cmd-made')
    assert.ok(isThere(endpoint(), 's3cmd-made'))
    await s3cmd('rb', 's3://s3cmd-made')
    assert.ok(!isThere(endpoint(), 's3cmd-made'))
  })
})
