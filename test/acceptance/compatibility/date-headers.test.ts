import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import type { WireCase } from '../../support/wire-case.ts'

const signedAtMs = Math.floor(Date.now() / 1000) * 1000
const gmt = new Date(signedAtMs).toUTCString()
const basic = new Date(signedAtMs).toISOString().replace(/[-:]|\.000/g, '')
const longAgo = new Date(signedAtMs - 3_600_000)

const listing = (title: string, date: string, time = signedAtMs) => ({
  title,
  ...{ method: 'GET', target: `/${testBucket}`, headers: { date }, signedAtMs: time },
})

const refused: Pick<WireCase, 'status' | 'code'> = { status: 403, code: 'AccessDenied' }

testInBothModes({
  contract: [
    { ...listing('a Date without x-amz-date', gmt), ...refused },
    { ...listing('a Date as x-amz-date has it', basic), ...refused },
  ],
  aws: [
    { ...listing('a Date without x-amz-date', gmt), status: 200 },
    { ...listing('a Date as boto3 writes it', gmt.replace('GMT', '-0000')), status: 200 },
    { ...listing('a Date as x-amz-date has it', basic), status: 200 },
    {
      ...listing('such a Date other than the one signed', basic, signedAtMs - 60_000),
      ...{ status: 403, code: 'SignatureDoesNotMatch' },
    },
    { ...listing('such a Date without its zone', basic.replace('Z', '')), ...refused },
    { ...listing('a Date of another zone', gmt.replace('GMT', '+0100')), ...refused },
    { ...listing('an empty Date', ''), ...refused },
    {
      ...listing('a Date other than the one signed', gmt, signedAtMs - 60_000),
      ...{ status: 403, code: 'SignatureDoesNotMatch' },
    },
    {
      ...listing('a Date too long ago', longAgo.toUTCString(), longAgo.getTime()),
      ...{ status: 403, code: 'RequestTimeTooSkewed' },
    },
  ],
})
