import { createHash, type Hash } from 'node:crypto'
import { Md5 } from '../../md5/md5.ts'
import { type Answered, answerTogether } from '../../process/call-thread.ts'
import { PayloadChecksums, type PayloadDigest } from './payload-digester.ts'
import type { DigestCall, DigestedBlock } from './threaded-writer.ts'

interface Digests {
  /** OpenSSL's is faster for a payload that is alone, Md5 for several. */
  readonly md5: Hash | Md5
  readonly checksums: PayloadChecksums
}

interface Block {
  readonly payload: number
  readonly digests: Digests
  readonly bytes: Uint8Array
}

/** The thread of threaded-writer.ts: it digests the payloads of several requests at a time. */
const payloads = new Map<number, Digests>()

answerTogether<DigestCall, DigestedBlock>((calls) => {
  const blocks = calls.flatMap((call): Block[] => {
    const { payload, block, filled } = call
    if (block === undefined) return []
    return [{ payload, digests: digestsOf(call), bytes: new Uint8Array(block, 0, filled) }]
  })
  updateMd5(blocks)
  for (const { digests, bytes } of blocks) digests.checksums.update(bytes)
  return calls.map(answer)
})

function digestsOf({ payload, digests: { algorithm, withSha256 } }: DigestCall): Digests {
  const known = payloads.get(payload)
  if (known !== undefined) return known
  const md5 = payloads.size === 0 ? createHash('md5') : new Md5()
  const made = { md5, checksums: new PayloadChecksums(algorithm, withSha256) }
  payloads.set(payload, made)
  return made
}

/** The first block of each payload together, then the second of each. */
function updateMd5(blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const first = [...new Map(blocks.toReversed().map((block) => [block.payload, block])).values()]
  const together = first.flatMap(({ digests: { md5 }, bytes }) => {
    if (md5 instanceof Md5) return [{ md5, bytes }]
    md5.update(bytes)
    return []
  })
  Md5.update(together)
  updateMd5(blocks.filter((block) => !first.includes(block)))
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
