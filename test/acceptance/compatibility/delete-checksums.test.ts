import { createHash } from 'node:crypto'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'

const body = '<Delete><Object><Key>k</Key></Object></Delete>'
const request = { method: 'POST', target: `/${testBucket}?delete`, body }
const md5 = createHash('md5').update(body).digest('base64')

testInBothModes({
  contract: [{ title: 'DeleteObjects without a checksum', ...request, status: 200 }],
  aws: [
    {
      title: 'DeleteObjects without a checksum is 400',
      ...{ ...request, status: 400, code: 'InvalidRequest' },
    },
    {
      title: 'DeleteObjects with Content-MD5',
      ...{ ...request, headers: { 'content-md5': md5 }, status: 200 },
    },
    {
      title: 'DeleteObjects with a checksum',
      ...{ ...request, status: 200 },
      headers: { 'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64') },
    },
  ],
})
