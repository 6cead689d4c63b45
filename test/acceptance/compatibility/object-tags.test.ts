import type { GatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { answer } from '../../support/wire-case.ts'

const target = `/${testBucket}/k`
const tags = '<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>'
const rule =
  '<LifecycleConfiguration><Rule><ID>r</ID><Filter><Tag><Key>a</Key><Value>1</Value></Tag></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>'
const tagged = { ...{ method: 'PUT', target, body: 'x' }, headers: { 'x-amz-tagging': 'a=1&b=' } }
const putTags = { method: 'PUT', target: `${target}?tagging`, body: tags }
const removeTags = { method: 'DELETE', target: `${target}?tagging` }
const putRule = { method: 'PUT', target: `/${testBucket}?lifecycle`, body: rule }
const getTags = { method: 'GET', target: `${target}?tagging`, status: 200 }

testInBothModes({
  settings: { BUCKET_CREATION: 'on' },
  async prepare(gateway: GatewayInProcess) {
    await answer(gateway, { title: '', method: 'PUT', target, body: 'x', status: 200 })
  },
  contract: [
    ...[tagged, putTags, removeTags, putRule].map((request) => ({
      ...request,
      title: `${request.method} ${request.target} is 501`,
      ...{ status: 501, code: 'NotImplemented' },
    })),
    { title: 'there are no tags', ...getTags, xml: { Tagging: { TagSet: '' } } },
  ],
  aws: [
    { title: 'an object is written with tags', ...tagged, status: 200 },
    {
      title: 'GET has their number',
      ...{ method: 'GET', target, status: 200, fields: { 'x-amz-tagging-count': '2' } },
    },
    {
      ...{ title: 'they are returned', ...getTags },
      xml: {
        Tagging: {
          TagSet: {
            Tag: [
              { Key: 'a', Value: '1' },
              { Key: 'b', Value: '' },
            ],
          },
        },
      },
    },
    { title: 'they are replaced', ...putTags, status: 200 },
    { title: 'HEAD', method: 'HEAD', target, status: 200, fields: { 'x-amz-tagging-count': '1' } },
    { title: 'a rule may be for them', ...putRule, status: 200 },
    { title: 'they are removed', ...removeTags, status: 204 },
    { title: 'there are none', ...getTags, xml: { Tagging: { TagSet: '' } } },
  ],
})
