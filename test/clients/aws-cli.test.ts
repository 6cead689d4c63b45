import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { testBucket } from '../support/gateway-process.ts'
import { sha256OfFile, testBytes, writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { assertSameTree, makeTree } from './file-tree.ts'
import { absenceOf, awsPrograms, runClient } from './run-client.ts'

function aws(endpoint: Endpoint, program: string, ...args: string[]): Promise<string> {
  const { accessKey, secretKey, region } = endpoint.gateway.credentials
  return runClient(endpoint, {
    program,
    args: ['--endpoint-url', endpoint.gateway.url, ...args],
    environment: {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_DEFAULT_REGION: region,
      ...(endpoint.caFile && { AWS_CA_BUNDLE: endpoint.caFile }),
    },
  })
}

for (const program of awsPrograms()) {
  describeOverBoth(`aws-cli (${program})`, { skip: absenceOf(program) }, (endpoint) => {
    const run = (...args: string[]): Promise<string> => aws(endpoint(), program, ...args)
    const bucketUrl = `s3://${testBucket}`

    it('s3 cp uploads 100 MB in parallel parts and downloads them in ranges', async () => {
      const source = join(endpoint().workFolder, 'large.bin')
      await writeTestFile(source, 100_000_000)
      await run('s3', 'cp', '--no-progress', source, `${bucketUrl}/cli/large.bin`)
      const expected = await sha256OfFile(source)
      assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 'cli/large.bin')), expected)
      await run('s3', 'cp', '--no-progress', `${bucketUrl}/cli/large.bin`, `${source}.copy`)
      assert.equal(await sha256OfFile(`${source}.copy`), expected)
    })

    it('s3 cp within the bucket copies 100 MB in parallel parts', async () => {
      const source = join(endpoint().bucketFolder, 'cli/source.bin')
      await mkdir(dirname(source), { recursive: true })
      await writeTestFile(source, 100_000_000)
      await run('s3', 'cp', `${bucketUrl}/cli/source.bin`, `${bucketUrl}/cli/copied.bin`)
      const copied = join(endpoint().bucketFolder, 'cli/copied.bin')
      assert.equal(await sha256OfFile(copied), await sha256OfFile(source))
    })

    it('s3 sync uploads and downloads a tree', async () => {
      const there = await makeTree(join(endpoint().workFolder, 'there'))
      await run('s3', 'sync', '--no-progress', there, `${bucketUrl}/tree`)
      await assertSameTree(join(endpoint().bucketFolder, 'tree'), there)
      const back = join(endpoint().workFolder, 'back')
      await run('s3', 'sync', '--no-progress', `${bucketUrl}/tree`, back)
      await assertSameTree(back, there)
      const again = await run('s3', 'sync', '--no-progress', there, `${bucketUrl}/tree`)
      assert.equal(again, '')
    })

    it('s3 ls, cp from a pipe, mv, cp within the bucket and rm work', async () => {
      const source = join(endpoint().workFolder, 'hello.txt')
      await writeFile(source, 'hello')
      await run('s3', 'cp', '--no-progress', source, `${bucketUrl}/verbs/hello.txt`)
      assert.match(await run('s3', 'ls'), new RegExp(testBucket))
      assert.match(await run('s3', 'ls', `${bucketUrl}/verbs/`), / 5 hello\.txt\n/)
      await run('s3', 'mv', `${bucketUrl}/verbs/hello.txt`, `${bucketUrl}/verbs/moved é.txt`)
      await run('s3', 'cp', `${bucketUrl}/verbs/moved é.txt`, `${bucketUrl}/verbs/copied.txt`)
      const folder = join(endpoint().bucketFolder, 'verbs')
      assert.equal(existsSync(join(folder, 'hello.txt')), false)
      assert.equal(await readFile(join(folder, 'moved é.txt'), 'utf8'), 'hello')
      assert.equal(await run('s3', 'cp', `${bucketUrl}/verbs/copied.txt`, '-'), 'hello')
      await run('s3', 'rm', '--recursive', `${bucketUrl}/verbs`)
      assert.equal(existsSync(folder), false)
    })

    it('s3api shows why a request was refused', async () => {
      const body = join(endpoint().workFolder, 'refused')
      await writeFile(body, 'x')
      const there = ['--bucket', testBucket, '--key', 'api/there']
      const { ETag } = JSON.parse(await run('s3api', 'put-object', ...there, '--body', body))
      const none = ['--bucket', testBucket, '--key', 'api/none']
      for (const [reason, ...args] of [
        [/\(404\)/, 'head-object', ...none],
        [/\(NoSuchKey\)/, 'get-object', ...none, body],
        [/\(NoSuchKey\)/, 'delete-object', ...none],
        [/\(304\)/, 'get-object', ...there, '--if-none-match', ETag, body],
        [/\(412\)/, 'head-object', ...there, '--if-match', '"other"'],
        [/\(InvalidRange\)/, 'get-object', ...there, '--range', 'bytes=1-', body],
        [/\(403\)/, 'head-bucket', '--bucket', 'other'],
        [/\(MethodNotAllowed\)/, 'create-bucket', '--bucket', testBucket],
        [/\(NoSuchUpload\)/, 'list-parts', ...there, '--upload-id', 'x'],
      ] as const) {
        await assert.rejects(run('s3api', ...args), reason, args.join(' '))
      }
    })

    it('s3api keeps metadata and presigned URLs download', async () => {
      const body = join(endpoint().workFolder, 'body')
      await writeFile(body, testBytes('s3api', 12_345))
      const object = ['--bucket', testBucket, '--key', 'api/object']
      // A tab is signed as a space, and an empty text sent as an empty header.
      const stored = ['--metadata', 'colour=blue\tgrey', '--acl', '']
      await run('s3api', 'put-object', ...object, '--body', body, ...stored)
      const head = JSON.parse(await run('s3api', 'head-object', ...object))
      assert.equal(head.ContentLength, 12_345)
      assert.deepEqual(head.Metadata, { colour: 'blue\tgrey' })
      // Presigning uses Signature Version 2 in us-east-1 by default.
      await run('configure', 'set', 'default.s3.signature_version', 's3v4')
      const url = (await run('s3', 'presign', `${bucketUrl}/api/object`)).trim()
      const ca = endpoint().caFile
      const got = join(endpoint().workFolder, 'presigned')
      const args = ['-sSf', ...(ca === undefined ? [] : ['--cacert', ca]), '-o', got, url]
      await runClient(endpoint(), { program: 'curl', args })
      assert.equal(await sha256OfFile(got), await sha256OfFile(body))
    })
  })
}
