import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { testBytes } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { absenceOf, runClient } from './run-client.ts'

function curl(endpoint: Endpoint, ...args: string[]): Promise<string> {
  const { accessKey, secretKey, region } = endpoint.gateway.credentials
  return runClient(endpoint, {
    program: 'curl',
    args: [
      ...['--silent', '--show-error', '--fail-with-body'],
      ...['--aws-sigv4', `aws:amz:${region}:s3`, '--user', `${accessKey}:${secretKey}`],
      ...(endpoint.caFile === undefined ? [] : ['--cacert', endpoint.caFile]),
      ...args,
    ],
  })
}

describeOverBoth('curl --aws-sigv4', { skip: absenceOf('curl') }, (endpoint) => {
  const urlOf = (target: string): string => `${endpoint().gateway.url}/${testBucket}${target}`

  it('-T uploads a file, and a GET, a listing and a DELETE are accepted', async () => {
    const bytes = testBytes('curl', 100_000)
    const source = join(endpoint().workFolder, 'curl.bin')
    await writeFile(source, bytes)
    await curl(endpoint(), '-T', source, urlOf("/curl/it's%20(1).bin"))
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, "curl/it's (1).bin")), bytes)
    await curl(endpoint(), '-o', `${source}.copy`, urlOf("/curl/it's%20(1).bin"))
    assert.deepEqual(await readFile(`${source}.copy`), bytes)
    const listed = await curl(endpoint(), urlOf('?list-type=2&prefix=curl/'))
    assert.match(listed, /<KeyCount>1<\/KeyCount>/)
    await curl(endpoint(), '-X', 'DELETE', urlOf("/curl/it's%20(1).bin"))
    assert.match(await curl(endpoint(), urlOf('?list-type=2&prefix=curl/')), /<KeyCount>0</)
  })

  it('inline data is accepted with x-amz-content-sha256: UNSIGNED-PAYLOAD', async () => {
    const unsigned = [
      '-H',
      'x-amz-content-sha256: UNSIGNED-PAYLOAD',
      '-H',
      'content-type: text/plain',
    ]
    await curl(endpoint(), ...unsigned, '-X', 'PUT', '-d', 'inline', urlOf('/curl/inline.txt'))
    assert.equal(await readFile(join(endpoint().bucketFolder, 'curl/inline.txt'), 'utf8'), 'inline')
  })
})
