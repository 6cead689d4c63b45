import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { clientSettings, secretKeyPlaceholder } from '../../web/src/connect/client-settings.ts'
import { testBucket } from '../support/gateway-process.ts'
import { describeOverBoth } from './endpoint.ts'
import { absenceOf, absenceOfBoto3, runClient } from './run-client.ts'

interface ShellOptions {
  /** The environment variable with the authority that the client trusts. */
  readonly trustBy?: string
  readonly RESTIC_PASSWORD?: string
}

/** The settings that the dashboard shows, pasted unchanged except for the keys. */
describeOverBoth('Settings pasted from the dashboard', { skip: false }, (endpoint) => {
  function block(id: string, index = 0): string {
    const { gateway } = endpoint()
    const { accessKey, secretKey, region } = gateway.credentials
    const settings = clientSettings({
      ...{ endpoint: gateway.url, region, accessKey },
      bucket: testBucket,
    })
    const text = settings.find((each) => each.id === id)?.blocks[index]?.text
    assert.ok(text !== undefined, id)
    return text.replaceAll(secretKeyPlaceholder, secretKey)
  }

  /** Runs lines as if pasted into a shell, with a file in the bucket. */
  function shell(text: string, { trustBy, ...environment }: ShellOptions = {}) {
    const ca = endpoint().caFile
    mkdirSync(endpoint().bucketFolder, { recursive: true })
    writeFileSync(join(endpoint().bucketFolder, 'pasted.txt'), 'hello')
    return runClient(endpoint(), {
      program: '/bin/bash',
      args: ['-ec', text],
      environment: {
        ...(trustBy !== undefined && ca !== undefined && { [trustBy]: ca }),
        ...environment,
      },
    })
  }

  it('aws-cli lists the bucket', { skip: absenceOf('/usr/bin/aws') }, async () => {
    assert.match(await shell(block('aws-cli'), { trustBy: 'AWS_CA_BUNDLE' }), / 5 pasted\.txt/)
  })

  /** Lists the bucket by an AWS SDK that has no settings but those of the environment and of ~/.aws. */
  function listedBySdk(environment: Record<string, string>): Promise<string> {
    const script = `import { ListObjectsV2Command, S3Client } from '${import.meta.resolve('@aws-sdk/client-s3')}'
      const s3 = new S3Client({ forcePathStyle: true })
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: '${testBucket}' }))
      for (const { Key, Size } of Contents) console.log(Key, Size)`
    writeFileSync(join(endpoint().workFolder, 'list.mjs'), script)
    return shell(`${process.execPath} list.mjs`, { trustBy: 'NODE_EXTRA_CA_CERTS', ...environment })
  }

  // Debian 12's aws-cli is too old for the endpoint in a profile.
  it('an AWS SDK reads the profile', async () => {
    mkdirSync(join(endpoint().workFolder, '.aws'), { recursive: true })
    writeFileSync(join(endpoint().workFolder, '.aws/config'), block('aws-profile'))
    const [, profile] = /--profile (\S+)/.exec(block('aws-profile', 1)) ?? []
    assert.match(await listedBySdk({ AWS_PROFILE: profile ?? '' }), /pasted\.txt 5/)
  })

  it('an AWS SDK reads the environment of Docker Compose', async () => {
    const variables = [...block('compose').matchAll(/^ {6}(\w+): "?([^"\n]*)/gm)].map((match) =>
      match.slice(1, 3),
    )
    assert.match(await listedBySdk(Object.fromEntries(variables)), /pasted\.txt 5/)
  })

  it('rclone lists the bucket', { skip: absenceOf('rclone') }, async () => {
    assert.match(await shell(block('rclone'), { trustBy: 'RCLONE_CA_CERT' }), / 5 pasted\.txt/)
  })

  it('s3cmd lists the bucket', { skip: absenceOf('s3cmd') }, async () => {
    const ca = endpoint().caFile
    const trusted = ca === undefined ? '' : `ca_certs_file = ${ca}\n`
    writeFileSync(join(endpoint().workFolder, '.s3cfg'), block('s3cmd') + trusted)
    assert.match(await shell(block('s3cmd', 1)), / 5 +s3:\/\/photos\/pasted\.txt/)
  })

  it('restic backs up', { skip: absenceOf('restic') }, async () => {
    mkdirSync(join(endpoint().workFolder, 'Documents'), { recursive: true })
    writeFileSync(join(endpoint().workFolder, 'Documents/letter'), 'hello')
    const ca = endpoint().caFile
    const text =
      ca === undefined
        ? block('restic')
        : `restic() { /usr/bin/restic --cacert ${ca} "$@"; }\n${block('restic')}`
    assert.match(await shell(text, { RESTIC_PASSWORD: 'correct horse' }), /snapshot \w+ saved/)
  })

  it('boto3 lists the bucket', { skip: absenceOfBoto3() }, async () => {
    writeFileSync(join(endpoint().workFolder, 'pasted.py'), block('boto3'))
    assert.match(await shell('python3 pasted.py', { trustBy: 'AWS_CA_BUNDLE' }), /pasted\.txt 5/)
  })

  it('AWS SDK for JavaScript lists the bucket', async () => {
    // Inside the project, so that its packages are found.
    const text = block('aws-sdk-js').replace(
      '@aws-sdk/client-s3',
      import.meta.resolve('@aws-sdk/client-s3'),
    )
    writeFileSync(join(endpoint().workFolder, 'pasted.mjs'), text)
    assert.match(
      await shell(`${process.execPath} pasted.mjs`, { trustBy: 'NODE_EXTRA_CA_CERTS' }),
      /pasted\.txt 5/,
    )
  })
})
