import { test } from 'node:test'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { answer } from '../../support/wire-case.ts'

const arn = `arn:aws:s3:::${testBucket}`
const bodies = {
  policy: `{"Statement":{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"${arn}/open/*"}}`,
  tagging: '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>',
  publicAccessBlock:
    '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls></PublicAccessBlockConfiguration>',
  ownershipControls:
    '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule></OwnershipControls>',
}

for (const mode of ['contract', 'aws'] as const) {
  test(`${mode}: documents of a bucket`, async (t) => {
    const gateway = await startGatewayInProcess(t, { COMPATIBILITY: mode, BUCKET_CREATION: 'on' })
    const key = `/${testBucket}/open/a`
    await answer(gateway, { title: '', method: 'PUT', target: key, body: 'x', status: 200 })
    for (const [name, body] of Object.entries(bodies)) {
      const target = `/${testBucket}?${name}`
      const put = { title: name, method: 'PUT', target, body }
      if (mode === 'contract')
        await answer(gateway, { ...put, status: 501, code: 'NotImplemented' })
      else
        await answer(gateway, { ...put, status: ['policy', 'tagging'].includes(name) ? 204 : 200 })
    }
    const read = { title: 'read', method: 'GET', target: key, isUnsigned: true }
    if (mode === 'contract') await answer(gateway, { ...read, status: 403, code: 'AccessDenied' })
    else await answer(gateway, { ...read, status: 200, text: 'x' })
    const created = {
      ...{ title: 'created', method: 'PUT', target: '/made' },
      headers: { 'x-amz-object-ownership': 'ObjectWriter' },
      body: `<CreateBucketConfiguration>${bodies.tagging.replace(/<.?Tagging>/g, '').replace(/TagSet/g, 'Tags')}</CreateBucketConfiguration>`,
    }
    if (mode === 'contract') {
      await answer(gateway, { ...created, status: 501, code: 'NotImplemented' })
      return
    }
    await answer(gateway, { ...created, status: 200 })
    const madeTags = { title: 'tags', method: 'GET', target: '/made?tagging', status: 200 }
    await answer(gateway, {
      ...madeTags,
      xml: { Tagging: { TagSet: { Tag: { Key: 'a', Value: 'b' } } } },
    })
    const policy = { title: 'policy', method: 'GET', target: `/${testBucket}?policy` }
    await answer(gateway, { ...policy, status: 200, text: bodies.policy })
    for (const [name, xml] of [
      ['policyStatus', { PolicyStatus: { IsPublic: 'true' } }],
      ['tagging', { Tagging: { TagSet: { Tag: { Key: 'a', Value: 'b' } } } }],
      [
        'publicAccessBlock',
        { PublicAccessBlockConfiguration: { BlockPublicAcls: 'true', IgnorePublicAcls: 'false' } },
      ],
      [
        'ownershipControls',
        { OwnershipControls: { Rule: { ObjectOwnership: 'BucketOwnerPreferred' } } },
      ],
    ] as const) {
      const target = `/${testBucket}?${name}`
      await answer(gateway, { title: name, method: 'GET', target, status: 200, xml })
    }
  })
}
