import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, exchange } from '../support/wire-case.ts'

const key = `/${testBucket}/object`
const gone = { status: 404, code: 'NoSuchUpload' }

/** docs/contract/object-storage.md, "Multipart operations". */
describe('an upload whose bytes are no longer on the drive', () => {
  const gateway = useContractGateway()

  const lost = async (): Promise<string> => {
    const { xml } = await exchange(gateway(), { method: 'POST', target: `${key}?uploads` })
    const { UploadId } = xml.InitiateMultipartUploadResult as { UploadId: string }
    const target = `${key}?uploadId=${UploadId}`
    const part = { method: 'PUT', target: `${target}&partNumber=1`, body: 'one' }
    assert.equal((await exchange(gateway(), part)).status, 200)
    rmSync(join(gateway().driveFolder, '.bucketry/uploads', UploadId), { recursive: true })
    return target
  }
  const complete = (target: string) => {
    const part = `<Part><PartNumber>1</PartNumber><ETag>${md5Of(Buffer.from('one'))}</ETag></Part>`
    const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`
    return { title: '', method: 'POST', target, body }
  }

  it('takes no part and cannot be completed: 404 NoSuchUpload', async () => {
    const target = await lost()
    const part = (number: number) => ({ method: 'PUT', target: `${target}&partNumber=${number}` })
    await answer(gateway(), { title: '', ...part(2), body: 'two', ...gone })
    await answer(gateway(), { title: '', ...part(1), body: 'other', ...gone })
    await answer(gateway(), { ...complete(target), ...gone })
    // Again, because the first Complete has left the upload open.
    await answer(gateway(), { ...complete(target), ...gone })
    await answer(gateway(), {
      title: '',
      method: 'GET',
      target: key,
      status: 404,
      code: 'NoSuchKey',
    })
  })

  it('is listed until it is aborted', async () => {
    const target = await lost()
    const list = { title: '', method: 'GET', target }
    await answer(gateway(), {
      title: '',
      method: 'PUT',
      target: `${target}&partNumber=2`,
      body: 'x',
      ...gone,
    })
    const { xml } = await answer(gateway(), { ...list, status: 200 })
    assert.equal((xml.ListPartsResult as { Part: { Size: string } }).Part.Size, '3')
    await answer(gateway(), { title: '', method: 'DELETE', target, status: 204 })
    await answer(gateway(), { ...list, ...gone })
  })
})
