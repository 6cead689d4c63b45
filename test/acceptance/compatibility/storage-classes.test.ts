import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'

const target = `/${testBucket}/k`
const put = (name: string) => ({
  ...{ method: 'PUT', target, body: 'x', headers: { 'x-amz-storage-class': name } },
})
const list = { method: 'GET', target: `/${testBucket}?list-type=2`, status: 200 }
const listed = (StorageClass: string) => ({ ListBucketResult: { Contents: { StorageClass } } })

testInBothModes({
  contract: [
    {
      title: 'another class than STANDARD is 501',
      ...{ ...put('STANDARD_IA'), status: 501, code: 'NotImplemented' },
    },
    { title: 'STANDARD is accepted', ...put('STANDARD'), status: 200 },
    { title: 'and listed', ...list, xml: listed('STANDARD') },
  ],
  aws: [
    { title: 'a class is kept', ...put('STANDARD_IA'), status: 200 },
    {
      title: 'HEAD has it',
      ...{ method: 'HEAD', target, status: 200, fields: { 'x-amz-storage-class': 'STANDARD_IA' } },
    },
    { title: 'a listing has it', ...list, xml: listed('STANDARD_IA') },
    {
      title: 'an unknown one is 400',
      ...{ ...put('BRONZE'), status: 400, code: 'InvalidStorageClass' },
    },
    { title: 'STANDARD is accepted', ...put('STANDARD'), status: 200 },
    { title: 'and listed', ...list, xml: listed('STANDARD') },
  ],
})
