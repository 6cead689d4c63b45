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
  const listOf = (count: number) => ({ method: 'GET', target: `${upload}&max-parts=${count}` })
  return { none: listOf(0), many: listOf(1001) }
}

testInBothModes({
  contract: async (gateway) => {
    const refused = { status: 400, code: 'InvalidArgument' }
    const { none, many } = await partsOf(gateway)
    return [
      { title: 'ListParts of at most 0 is 400', ...none, ...refused },
      { title: 'ListParts of at most 1,001 is 400', ...many, ...refused },
      { title: 'ListMultipartUploads of at most 0 is 400', ...uploads, ...refused },
    ]
  },
  aws: async (gateway) => {
    const { none, many } = await partsOf(gateway)
    const empty = { MaxParts: '0', IsTruncated: 'false', Part: undefined }
    return [
      {
        title: 'ListParts of at most 0 is an empty page and the last one',
        ...{ ...none, status: 200, xml: { ListPartsResult: empty } },
      },
      {
        title: 'ListParts of at most 1,001 is a page of at most 1,000',
        ...{ ...many, status: 200 },
        xml: { ListPartsResult: { MaxParts: '1000', Part: { PartNumber: '1' } } },
      },
      {
        title: 'ListMultipartUploads of at most 0 is an empty page and the last one',
        ...{ ...uploads, status: 200 },
        xml: {
          ListMultipartUploadsResult: { MaxUploads: '0', IsTruncated: 'false', Upload: undefined },
        },
      },
    ]
  },
})
