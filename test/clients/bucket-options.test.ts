import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { absenceOf, absenceOfBoto3, awsPrograms, runClient } from './run-client.ts'

/** What clients set for a bucket: CORS and lifecycle rules, as each of them writes them. */
const settings = { BUCKET_CREATION: 'on' }

const corsRules = [
  {
    ID: 'app',
    AllowedHeaders: ['*'],
    AllowedMethods: ['GET', 'PUT'],
    AllowedOrigins: ['https://*.example'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3000,
  },
]
const lifecycleRules = [
  {
    ...{ ID: 'logs', Filter: { Prefix: 'logs/' }, Status: 'Enabled', Expiration: { Days: 30 } },
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
  },
]

function environmentOf({ gateway, caFile }: Endpoint): Readonly<Record<string, string>> {
  const { accessKey, secretKey, region } = gateway.credentials
  return {
    ...{ AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey },
    AWS_DEFAULT_REGION: region,
    ...(caFile && { AWS_CA_BUNDLE: caFile }),
  }
}

/** A file that was last changed long ago. */
function addOld({ bucketFolder }: Endpoint, folder: string): void {
  const path = join(bucketFolder, folder, 'old')
  mkdirSync(join(bucketFolder, folder), { recursive: true })
  writeFileSync(path, 'x')
  utimesSync(path, 1_600_000_000, 1_600_000_000)
}

for (const program of awsPrograms()) {
  describeOverBoth(`aws-cli (${program})`, { skip: absenceOf(program), settings }, (endpoint) => {
    const api = (operation: string, ...args: string[]): Promise<string> =>
      runClient(endpoint(), {
        program,
        args: [
          ...['--endpoint-url', endpoint().gateway.url, 's3api', operation],
          ...['--bucket', testBucket, ...args],
        ],
        environment: environmentOf(endpoint()),
      })

    it('puts, gets and deletes CORS rules', async () => {
      const configuration = JSON.stringify({ CORSRules: corsRules })
      await api('put-bucket-cors', '--cors-configuration', configuration)
      assert.deepEqual(JSON.parse(await api('get-bucket-cors')).CORSRules, corsRules)
      await api('delete-bucket-cors')
      await assert.rejects(api('get-bucket-cors'), /NoSuchCORSConfiguration/)
    })

    it('puts, gets and deletes lifecycle rules, which remove old objects', async () => {
      addOld(endpoint(), 'logs')
      addOld(endpoint(), 'kept')
      const configuration = JSON.stringify({ Rules: lifecycleRules })
      const put = ['--lifecycle-configuration', configuration]
      await api('put-bucket-lifecycle-configuration', ...put)
      const { Rules: rules } = JSON.parse(await api('get-bucket-lifecycle-configuration'))
      assert.deepEqual(rules, lifecycleRules)
      await api('put-object', '--key', 'logs/new')
      const { Expiration: expiration } = JSON.parse(await api('head-object', '--key', 'logs/new'))
      assert.match(expiration, /^expiry-date=".* 00:00:00 GMT", rule-id="logs"$/)
      await until(async () => !/logs\/old/.test(await api('list-objects-v2')))
      assert.match(await api('list-objects-v2'), /kept\/old.*logs\/new/s)
      await api('delete-bucket-lifecycle')
      await assert.rejects(
        api('get-bucket-lifecycle-configuration'),
        /NoSuchLifecycleConfiguration/,
      )
    })

    it('is told by name what lifecycle rules do not support', async () => {
      const [rule] = lifecycleRules
      const rules = [{ ...rule, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }]
      const put = ['--lifecycle-configuration', JSON.stringify({ Rules: rules })]
      await assert.rejects(
        api('put-bucket-lifecycle-configuration', ...put),
        /NotImplemented.*lifecycle element Transition/s,
      )
    })
  })
}

describeOverBoth('s3cmd', { skip: absenceOf('s3cmd'), settings }, (endpoint) => {
  const s3cmd = (...args: string[]): Promise<string> => {
    const { gateway, caFile } = endpoint()
    const { accessKey, secretKey, region } = gateway.credentials
    const secure = caFile === undefined ? ['--no-ssl'] : [`--ca-certs=${caFile}`]
    return runClient(endpoint(), {
      program: 's3cmd',
      args: [
        ...[`--access_key=${accessKey}`, `--secret_key=${secretKey}`, `--region=${region}`],
        ...[`--host=${gateway.host}`, `--host-bucket=${gateway.host}`, ...secure, ...args],
      ],
    })
  }
  const url = `s3://${testBucket}`

  it('sets and deletes CORS rules', async () => {
    const file = join(endpoint().workFolder, 'cors.xml')
    writeFileSync(
      file,
      '<CORSConfiguration><CORSRule><AllowedOrigin>https://app.example</AllowedOrigin>' +
        '<AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
    )
    await s3cmd('setcors', file, url)
    assert.match(await s3cmd('info', url), /CORS: .*https:\/\/app\.example/s)
    await s3cmd('delcors', url)
    assert.doesNotMatch(await s3cmd('info', url), /app\.example/)
  })

  it('sets, gets and deletes lifecycle rules, its own expire too', async () => {
    const file = join(endpoint().workFolder, 'lifecycle.xml')
    writeFileSync(
      file,
      '<LifecycleConfiguration><Rule><ID>logs</ID><Prefix>logs/</Prefix><Status>Enabled</Status>' +
        '<Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>',
    )
    await s3cmd('setlifecycle', file, url)
    assert.match(await s3cmd('getlifecycle', url), /<Prefix>logs\/<\/Prefix>/)
    await s3cmd('dellifecycle', url)
    await s3cmd('expire', url, '--expiry-days=5', '--expiry-prefix=tmp/')
    assert.match(await s3cmd('getlifecycle', url), /<Days>5<\/Days>/)
  })
})

describeOverBoth('boto3', { skip: absenceOfBoto3(), settings }, (endpoint) => {
  it('puts and gets CORS and lifecycle rules', async () => {
    const script = `
import boto3, json
s3 = boto3.client('s3', endpoint_url=${JSON.stringify(endpoint().gateway.url)})
bucket = ${JSON.stringify(testBucket)}
cors = json.loads(${JSON.stringify(JSON.stringify(corsRules))})
rules = json.loads(${JSON.stringify(JSON.stringify(lifecycleRules))})
s3.put_bucket_cors(Bucket=bucket, CORSConfiguration={'CORSRules': cors})
assert s3.get_bucket_cors(Bucket=bucket)['CORSRules'] == cors
s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={'Rules': rules})
assert s3.get_bucket_lifecycle_configuration(Bucket=bucket)['Rules'] == rules
s3.delete_bucket_cors(Bucket=bucket)
s3.delete_bucket_lifecycle(Bucket=bucket)
print('done')
`
    const path = join(endpoint().workFolder, 'options.py')
    writeFileSync(path, script)
    const environment = environmentOf(endpoint())
    const run = { program: '/usr/bin/python3', args: [path], environment }
    assert.match(await runClient(endpoint(), run), /done/)
  })
})
