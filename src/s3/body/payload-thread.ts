import { answerCalls } from '../../process/call-thread.ts'
import { type PayloadDigest, PayloadDigester } from './payload-digester.ts'
import type { DigestCall, DigestedBlock } from './threaded-writer.ts'

/** The thread of threaded-writer.ts: it digests the payloads of several requests at a time. */
const digesters = new Map<number, PayloadDigester>()

answerCalls<DigestCall, DigestedBlock>((call) => {
  const { block } = call
  return { result: { block, digest: run(call) }, transfer: block === undefined ? [] : [block] }
})

function run({ payload, step, digests, block, filled }: DigestCall): PayloadDigest | undefined {
  const digester =
    digesters.get(payload) ?? new PayloadDigester(digests.algorithm, undefined, digests.withSha256)
  if (block !== undefined) digester.update(new Uint8Array(block, 0, filled))
  if (step === 'update') digesters.set(payload, digester)
  else digesters.delete(payload)
  return step === 'digest' ? digester.digest() : undefined
}
