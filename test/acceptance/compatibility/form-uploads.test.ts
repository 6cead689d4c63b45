import { testBucket, testCredentials } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { formRequest } from '../../support/post-form.ts'

const form = formRequest({ bucket: testBucket, fields: [['key', 'a b']] }, testCredentials)
const sent = { ...form, isUnsigned: true }
const target = `/${testBucket}/a%20b`

testInBothModes({
  contract: [
    {
      title: 'a form is 405',
      ...{ ...sent, status: 405, code: 'MethodNotAllowed' },
      fields: { allow: 'GET, HEAD' },
    },
    {
      title: 'a form with a signed header is 405',
      ...{ ...form, status: 405, code: 'MethodNotAllowed' },
    },
  ],
  aws: [
    { title: 'a form is an upload', ...sent, status: 204, text: '' },
    { title: 'which is an object', method: 'GET', target, status: 200, text: 'bytes' },
    {
      title: 'a form with a signed header is 405',
      ...{ ...form, status: 405, code: 'MethodNotAllowed' },
    },
    {
      title: 'a form with parameters is 405',
      ...{ ...sent, target: `/${testBucket}?uploads`, status: 405, code: 'MethodNotAllowed' },
    },
    {
      title: 'a form for a key is 405',
      ...{ ...sent, target, status: 405, code: 'MethodNotAllowed' },
    },
    {
      title: 'a POST of anything else is 405',
      ...{ ...sent, headers: { 'content-type': 'text/plain' }, status: 405 },
      code: 'MethodNotAllowed',
    },
  ],
})
