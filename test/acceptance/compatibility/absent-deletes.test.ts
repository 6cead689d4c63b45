import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'

const target = `/${testBucket}/never-written`

testInBothModes({
  contract: [
    {
      title: 'DeleteObject of an absent key is 404 NoSuchKey',
      ...{ method: 'DELETE', target, status: 404, code: 'NoSuchKey' },
    },
  ],
  aws: [
    {
      title: 'DeleteObject of an absent key is 204',
      ...{ method: 'DELETE', target, status: 204, text: '' },
    },
  ],
})
