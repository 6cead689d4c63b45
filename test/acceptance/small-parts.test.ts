import type { GatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { testInBothModes } from '../support/in-both-modes.ts'
import { beginUpload } from '../support/open-upload.ts'
import { answer } from '../support/wire-case.ts'

/** The Complete of an upload with these parts. */
async function completeOf(gateway: GatewayInProcess, sizes: readonly number[]) {
  const target = `/${testBucket}/k?uploadId=${await beginUpload(gateway, `/${testBucket}/k`)}`
  const listed: string[] = []
  for (const [index, size] of sizes.entries()) {
    const number = index + 1
    const sent = { method: 'PUT', target: `${target}&partNumber=${number}`, status: 200 }
    const reply = await answer(gateway, { title: '', ...sent, body: new Uint8Array(size) })
    const etag = reply.headers.get('etag')
    listed.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`)
  }
  const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`
  return { method: 'POST', target, body }
}

const least = 5 * 1024 * 1024

testInBothModes({
  contract: async (gateway) => [
    { title: 'Small parts', ...(await completeOf(gateway, [1, 2])), status: 200 },
  ],
  aws: async (gateway) => [
    {
      title: 'A small part before the last one is EntityTooSmall',
      ...(await completeOf(gateway, [least - 1, 2])),
      ...{ status: 400, code: 'EntityTooSmall' },
      error: {
        ...{ PartNumber: '1', ProposedSize: String(least - 1), MinSizeAllowed: String(least) },
      },
    },
    { title: 'A small last part', ...(await completeOf(gateway, [least, 2])), status: 200 },
    { title: 'A small only part', ...(await completeOf(gateway, [2])), status: 200 },
  ],
})
