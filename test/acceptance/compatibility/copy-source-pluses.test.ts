import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { answer } from '../../support/wire-case.ts'

const copy = (source: string, text: string) => [
  {
    title: `CopyObject of ${source} copies the ${text}`,
    ...{ method: 'PUT', target: `/${testBucket}/copy`, status: 200 },
    headers: { 'x-amz-copy-source': `${testBucket}/${source}` },
  },
  {
    title: `GetObject of a copy of ${source} returns the ${text}`,
    ...{ method: 'GET', target: `/${testBucket}/copy`, status: 200, text },
  },
]

testInBothModes({
  async prepare(gateway) {
    for (const [key, body] of Object.entries({
      'a%2Bb': 'key with a plus',
      'a%20b': 'key with a space',
    })) {
      const put = { method: 'PUT', target: `/${testBucket}/${key}`, body, status: 200 }
      await answer(gateway, { title: '', ...put })
    }
  },
  contract: [...copy('a+b', 'key with a plus'), ...copy('a%20b', 'key with a space')],
  aws: [...copy('a+b', 'key with a space'), ...copy('a%2Bb', 'key with a plus')],
})
