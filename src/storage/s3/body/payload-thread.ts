import { createHash, type Hash } from 'node:crypto'
import { Md5, type NextBytes } from '../../../platform/checksums/md5.ts'
import { type Answered, answerTogether } from '../../../platform/process/call-thread.ts'
import { PayloadChecksums, type PayloadDigest } from './payload-writer.ts'
import type { DigestCall, DigestedBlock } from './threaded-writer.ts'

interface Digests {
  /** OpenSSL's MD5 is faster for one payload, Md5 for several. */
  readonly md5: Hash | Md5
  readonly checksums: PayloadChecksums
}

/** The thread of threaded-writer.ts digests one block of each payload at a time. */
const payloads = new Map<number, Digests>()

answerTogether<DigestCall, DigestedBlock>(
  ({ payload }) => payload,
  (calls) => {
    Md5.update(calls.flatMap(update))
    return calls.map(answer)
  },
)

/** Digests a block. Returns the bytes whose MD5 is computed together with others. */
function update(call: DigestCall): NextBytes[] {
  const { block, filled } = call
  if (block === undefined) return []
  const { md5, checksums } = digestsOf(call)
  const bytes = new Uint8Array(block, 0, filled)
  checksums.update(bytes)
  if (md5 instanceof Md5) return [{ md5, bytes }]
  md5.update(bytes)
  return []
}

function digestsOf({ payload, digests: { algorithm, withSha256 } }: DigestCall): Digests {
  const known = payloads.get(payload)
  if (known !== undefined) return known
  const md5 = payloads.size === 0 ? createHash('md5') : new Md5()
  const made = { md5, checksums: new PayloadChecksums(algorithm, withSha256) }
  payloads.set(payload, made)
  return made
}

function answer(call: DigestCall): Answered<DigestedBlock> {
  const { payload, step, block } = call
  let digest: PayloadDigest | undefined
  if (step === 'digest') {
    const { md5, checksums } = digestsOf(call)
    digest = checksums.digest(md5 instanceof Md5 ? md5.hex() : md5.digest('hex'))
  }
  if (step !== 'update') payloads.delete(payload)
  return { result: { block, digest }, transfer: block instanceof ArrayBuffer ? [block] : [] }
}
