import type { ChecksumAlgorithm } from '../../drives/attributes.ts'
import { CallThread } from '../../process/call-thread.ts'
import type { PayloadDigest } from './payload-digester.ts'
import { type BodyWriter, type PayloadSink, payloadBlockBytes } from './payload-writer.ts'

export interface DigestCall {
  /** Identifies the payload in this process. */
  readonly payload: number
  readonly step: 'update' | 'digest' | 'discard'
  readonly digests: {
    readonly algorithm: ChecksumAlgorithm | undefined
    readonly withSha256: boolean
  }
  /** For `update`. It is transferred to the thread, and back. */
  readonly block?: ArrayBuffer
  /** The bytes of the payload at the beginning of the block. */
  readonly filled?: number
}

export interface DigestedBlock {
  readonly block: ArrayBuffer | undefined
  readonly digest: PayloadDigest | undefined
}

/** One block is filled, one is written and one is digested. */
const mostBlocks = 3

/**
 * Each block wakes three other threads, or this one for them: with blocks of 256 KiB that is a sixth of
 * the CPU time of an upload.
 */
export const largeBlockBytes = 1024 * 1024

/** For less, the write and the digest of the last block take longer than the wakeups. */
const leastForLarge = 8 * largeBlockBytes

/** Further writers use blocks of `payloadBlockBytes`: many slow clients must not fill the memory. */
export const mostLargeWriters = 8
let largeWriters = 0

/** One thread for all payloads of the process. It ends when there are none for a while. */
const thread = new CallThread<DigestCall, DigestedBlock>(
  new URL('./payload-thread.ts', import.meta.url),
  { resourceLimits: { maxYoungGenerationSizeMb: 2 } },
)

/** Blocks of this process that are not digested yet. */
export function pendingDigests(): number {
  return thread.pending
}

let lastPayload = 0

/**
 * Writes a large payload to a sink in blocks. A thread digests each block after it is written: MD5 takes
 * half of the CPU time of a large upload, and the event loop reads the next bytes meanwhile.
 */
export class ThreadedWriter implements BodyWriter {
  readonly #sink: PayloadSink
  readonly #digests: DigestCall['digests']
  readonly #payload = ++lastPayload
  #release: (() => void) | undefined = thread.hold()
  readonly #blockBytes: number
  #block: Buffer<ArrayBuffer>
  #filled = 0
  #blocks = 1
  readonly #free: Buffer<ArrayBuffer>[] = []
  /** The write in progress; then its block is sent to the thread. */
  #writing: Promise<void> | undefined
  /** Resolves when the thread has digested the last block that was sent. */
  #digesting: Promise<void> | undefined
  /** Bytes that were sent to the thread. */
  #sent = 0

  /** @param size number of bytes; 0 if unknown. */
  constructor(
    sink: PayloadSink,
    algorithm: ChecksumAlgorithm | undefined,
    size = 0,
    withSha256 = false,
  ) {
    this.#sink = sink
    this.#digests = { algorithm, withSha256 }
    const isLarge = size >= leastForLarge && largeWriters < mostLargeWriters
    if (isLarge) largeWriters += 1
    this.#blockBytes = isLarge ? largeBlockBytes : payloadBlockBytes
    this.#block = Buffer.allocUnsafeSlow(this.#blockBytes)
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#filled + bytes.length >= this.#blockBytes) return this.#writeThrough(bytes)
    this.#gather(bytes)
    return undefined
  }

  /** @throws Error with code EIO when the thread ended */
  async finish(): Promise<PayloadDigest> {
    if (this.#filled > 0) await this.#flush()
    await this.#writing
    await this.#digesting
    const { digest } = await this.#call({ step: 'digest' })
    this.#end()
    // A thread that was started after the first one ended has digested only the later blocks.
    if (digest?.size === this.#sent) return digest
    throw Object.assign(new Error('The digest thread ended during the payload.'), { code: 'EIO' })
  }

  async idle(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    if (this.#release === undefined) return
    // If the thread has ended, it has nothing to discard.
    if (this.#sent > 0) this.#call({ step: 'discard' }).catch(() => undefined)
    this.#end()
  }

  async #writeThrough(bytes: Uint8Array): Promise<void> {
    let rest = bytes
    while (this.#filled + rest.length >= this.#blockBytes) {
      const part = rest.subarray(0, this.#blockBytes - this.#filled)
      rest = rest.subarray(part.length)
      this.#gather(part)
      await this.#flush()
    }
    this.#gather(rest)
  }

  #gather(bytes: Uint8Array): void {
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  /** Starts the write of the block, and takes another one to fill. */
  async #flush(): Promise<void> {
    await this.#writing
    this.#writing = this.#writeBlock(this.#block, this.#filled)
    // Handled at the next await; this only avoids an unhandled rejection until then.
    this.#writing.catch(() => undefined)
    this.#filled = 0
    this.#block = await this.#takeBlock()
  }

  async #writeBlock(block: Buffer<ArrayBuffer>, filled: number): Promise<void> {
    await this.#sink.write(block.subarray(0, filled))
    this.#digesting = this.#digest(block, filled)
    this.#digesting.catch(() => undefined)
  }

  async #digest(block: Buffer<ArrayBuffer>, filled: number): Promise<void> {
    this.#sent += filled
    const { block: digested } = await this.#call({ step: 'update', block: block.buffer, filled })
    if (digested !== undefined) this.#free.push(Buffer.from(digested))
  }

  async #takeBlock(): Promise<Buffer<ArrayBuffer>> {
    if (this.#free.length === 0 && this.#blocks < mostBlocks) {
      this.#blocks += 1
      return Buffer.allocUnsafeSlow(this.#blockBytes)
    }
    while (this.#free.length === 0) {
      await this.#digesting
      if (this.#free.length === 0) await this.#writing
    }
    return this.#free.pop() as Buffer<ArrayBuffer>
  }

  #end(): void {
    if (this.#release === undefined) return
    this.#release()
    this.#release = undefined
    if (this.#blockBytes === largeBlockBytes) largeWriters -= 1
  }

  #call(call: Omit<DigestCall, 'payload' | 'digests'>): Promise<DigestedBlock> {
    const { block } = call
    const sent = { ...call, payload: this.#payload, digests: this.#digests }
    return thread.call(sent, block === undefined ? [] : [block])
  }
}
