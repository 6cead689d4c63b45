import type { GatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { answer } from '../../support/wire-case.ts'

const uploads = { method: 'GET', target: `/${testBucket}?uploads&max-uploads=0` }

async function partsOf(gateway: GatewayInProcess) {
  const upload = `/${testBucket}/k?uploadId=${await beginUpload(gateway, `/${testBucket}/k`)}`
  const part = { method: 'PUT', target: `${upload}&partNumber=1`, body: 'a part' }
  await answer(gateway, { title: '', ...part, status: 200 })
  return { method: 'GET', target: `${upload}&max-parts=0` }
}

testInBothModes({
  contract: async (gateway) => [
    {
      title: 'ListParts of at most 0 is 400',
      ...{ ...(await partsOf(gateway)), status: 400, code: 'InvalidArgument' },
    },
    {
      title: 'ListMultipartUploads of at most 0 is 400',
      ...{ ...uploads, status: 400, code: 'InvalidArgument' },
    },
  ],
  aws: async (gateway) => [
    {
      title: 'ListParts of at most 0 is an empty page and the last one',
      ...{ ...(await partsOf(gateway)), status: 200 },
      xml: { ListPartsResult: { MaxParts: '0', IsTruncated: 'false', Part: undefined } },
    },
    {
      title: 'ListMultipartUploads of at most 0 is an empty page and the last one',
      ...{ ...uploads, status: 200 },
      xml: {
        ListMultipartUploadsResult: { MaxUploads: '0', IsTruncated: 'false', Upload: undefined },
      },
    },
  ],
})
